//! Hints at what device code can use in place of what devices do not support.

use crate::facts::{Action, Event, Function};
use crate::library;
use crate::reach::Graph;

const PRINT: &str =
    "kernels print with 'sycl::stream' or 'sycl::ext::oneapi::experimental::printf'";
const ALLOCATE: &str = "allocate before the launch, with a buffer or 'sycl::malloc_device'; in the \
                        kernel, use arrays of constant length or a 'sycl::local_accessor'";
const FAIL: &str =
    "write an error code to memory that the host reads after the kernel, or use 'assert'";
const CALL: &str = "use a lambda or a function object: its type, as in 'auto f' or a template \
                    parameter, tells the compiler which function runs";

/// The streams of the C++ standard library.
const STREAMS: [&str; 8] = [
    "std::cout",
    "std::cerr",
    "std::clog",
    "std::cin",
    "std::wcout",
    "std::wcerr",
    "std::wclog",
    "std::wcin",
];

/// The beginnings of the names of functions that write to streams.
const STREAM_FUNCTIONS: [&str; 6] = [
    "std::basic_ostream",
    "std::operator<<",
    "std::endl",
    "std::flush",
    "std::__ostream",
    "std::basic_ios",
];

/// Returns what to use in place of an event that is an error in the body of `function`.
pub fn of_event(graph: &Graph, function: &Function, event: &Event) -> Option<&'static str> {
    if is_of_function_class(&function.qualified) {
        return Some(CALL);
    }
    match &event.action {
        Action::Throw | Action::Try => Some(FAIL),
        Action::Global { variable, .. } => STREAMS.contains(&&**variable).then_some(PRINT),
        Action::Call(callee) | Action::Address(callee) => {
            of_call(&graph.find(*callee)?.function, &function.qualified)
        }
        _ => None,
    }
}

fn of_call(callee: &Function, caller: &str) -> Option<&'static str> {
    let is_of_stream =
        |name: &str| STREAM_FUNCTIONS.iter().any(|function| name.starts_with(function));
    match () {
        () if callee.allocation || (callee.extern_c && library::allocates(&callee.name)) => {
            Some(ALLOCATE)
        }
        () if is_of_stream(&callee.qualified) || is_of_stream(caller) => Some(PRINT),
        () if library::throws(&callee.qualified) => Some(FAIL),
        () => None,
    }
}

/// Returns what to use in place of a part of a functor that is not device copyable.
pub fn of_part(type_name: &str) -> Option<&'static str> {
    type_name.starts_with("std::function<").then_some(CALL)
}

/// Whether a function is a part of `std::function`.
fn is_of_function_class(qualified: &str) -> bool {
    qualified.starts_with("std::function<")
        || qualified.starts_with("std::function::")
        || qualified.starts_with("std::_Function")
        || qualified.starts_with("std::__function::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_std_function_are_known() {
        for name in ["std::function<int (int)>::operator()", "std::_Function_base::_M_empty"] {
            assert!(is_of_function_class(name), "{name}");
        }
        for name in ["std::functional", "f", "std::vector<int>::at", "my::function<int>"] {
            assert!(!is_of_function_class(name), "{name}");
        }
        assert_eq!(of_part("std::function<int(int)>"), Some(CALL));
        assert_eq!(of_part("std::string"), None);
    }
}
