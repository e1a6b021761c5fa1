//! Compilations and cache hits for the timeline of the process.

use scythe_hal::{CompileRequest, Output};
use scythe_trace::{Category, Name, Slice, Value, is_on, now, record};

/// A request that is being served.
pub(crate) struct Request {
    start: u64,
    name: Name,
    args: Vec<(&'static str, Value)>,
}

impl Request {
    /// Returns `None` if nothing is recorded.
    pub(crate) fn begin(request: &CompileRequest<'_>) -> Option<Self> {
        if !is_on() {
            return None;
        }
        let (kernel, output) = match &request.output {
            Output::CpuObject { kernel, .. } => {
                (kernel.map(|part| part.kernel.as_str()), "x86-64 object")
            }
            Output::SpirV { kernel, .. } => (*kernel, "SPIR-V"),
            Output::Ptx { kernel, .. } => (*kernel, "PTX"),
            Output::Bitcode { .. } => (None, "specialized bitcode"),
        };
        let mut args = vec![
            ("output", Value::from(output)),
            ("device", Value::from(request.device)),
            ("bytes of bitcode", Value::from(request.bitcode.len() as u64)),
        ];
        if let Output::CpuObject { kernel: Some(part), .. } = request.output
            && let Some([x, y, z]) = part.local_size
        {
            args.push(("work-group", Value::from(format!("{{{z}, {y}, {x}}}"))));
        }
        let name = Name::of(kernel.unwrap_or("device image"));
        Some(Self { start: now(), name, args })
    }

    /// Records that the cache had the result.
    pub(crate) fn hit(request: Option<Self>) {
        Self::end(request, Category::CacheHit);
    }

    /// Records that the result was compiled.
    pub(crate) fn compiled(request: Option<Self>) {
        Self::end(request, Category::Compile);
    }

    fn end(request: Option<Self>, category: Category) {
        if let Some(Self { start, name, args }) = request {
            record(Slice { args, ..Slice::since(start, category, name) });
        }
    }
}
