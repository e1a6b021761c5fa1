//! Launches whose work-groups depend on each other: checks their sizes, and tells programs how many
//! work-groups of a kernel run at the same time.

use scythe_abi::capi;
use scythe_abi::cuda::LOCAL_ALIGNMENT;
use scythe_hal::{Cooperation, Kernel as _};

use crate::demangle::symbol_name;
use crate::launch::{Ranges, local_memory};
use crate::platform::Device;
use crate::registry::{DeviceInContext, ReadyKernel, kernel_of_symbol};
use crate::{Errc, Error, Result};

/// Checks that the device can run the work-groups of a launch that depend on each other at the same
/// time. The ranges have been checked otherwise.
pub fn check(kernel: &ReadyKernel, functor: &[u8], ranges: &Ranges, device: &Device) -> Result<()> {
    let groups = |d: usize| ranges.global_size[d] / ranges.local_size[d].max(1);
    match ranges.cooperation {
        Cooperation::None => Ok(()),
        Cooperation::Root => {
            let count = (0..3).fold(1u64, |count, d| count.saturating_mul(groups(d)));
            if count <= 1 {
                return Ok(());
            }
            let bytes = local_memory(kernel, functor, LOCAL_ALIGNMENT.into());
            let most = device.hal.occupancy(kernel, ranges.local_size, bytes)?.together;
            if count <= most {
                return Ok(());
            }
            let message = format!(
                "kernel '{}' uses use_root_sync with {count} work-groups, but at most {most} of \
                 this size run at the same time on {}: query max_num_work_groups",
                symbol_name(kernel.symbol()),
                device.name()
            );
            Err(Error::new(Errc::NdRange, message))
        }
        Cooperation::Clusters(size) => {
            let most = device.hal.info().max_cluster_size;
            if most == 0 {
                return Err(no_clusters(device));
            }
            let count = size.iter().fold(1u64, |count, &n| count.saturating_mul(u64::from(n)));
            if count == 0 || count > most {
                let message = format!(
                    "kernel '{}' has clusters of {count} work-groups, expected 1 to {most} on {}",
                    symbol_name(kernel.symbol()),
                    device.name()
                );
                return Err(Error::new(Errc::NdRange, message));
            }
            for (d, &size) in size.iter().enumerate() {
                if !groups(d).is_multiple_of(u64::from(size)) {
                    let message = format!(
                        "kernel '{}' has {} work-groups in dimension {}, which is not a multiple \
                         of the cluster size {size}",
                        symbol_name(kernel.symbol()),
                        groups(d),
                        ranges.dims as usize - 1 - d.min(ranges.dims as usize - 1)
                    );
                    return Err(Error::new(Errc::NdRange, message));
                }
            }
            Ok(())
        }
    }
}

/// Checks a launch in host mode. The headers check root groups.
pub fn check_on_host(ranges: &Ranges, device: &Device) -> Result<()> {
    match ranges.cooperation {
        Cooperation::Clusters(_) => Err(no_clusters(device)),
        Cooperation::None | Cooperation::Root => Ok(()),
    }
}

fn no_clusters(device: &Device) -> Error {
    let message = format!(
        "sycl_ext_codeplay_cuda_cluster_group: device {} cannot launch clusters of work-groups",
        device.name()
    );
    Error::new(Errc::FeatureNotSupported, message)
}

/// Returns facts about a kernel with work-groups of `local_size` work-items, fastest first.
pub fn facts(
    symbol: &str,
    place: DeviceInContext,
    local_size: [u64; 3],
    local_bytes: u64,
) -> Result<capi::KernelFacts> {
    let kernel = kernel_of_symbol(symbol, place)?;
    let (device, info) = (place.device, place.device.hal.info());
    let needs = kernel.resources()?;
    let max_work_group_size = needs.max_group_size.unwrap_or(info.max_work_group_size);
    let mut facts = capi::KernelFacts {
        max_work_group_size,
        spill_bytes: needs.spill_bytes.unwrap_or(0),
        ..capi::KernelFacts::default()
    };
    let items = local_size.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
    let sizes = local_size.iter().zip(&info.max_work_item_sizes);
    let fits = items.is_some_and(|items| items > 0 && items <= max_work_group_size)
        && local_bytes <= info.local_mem_size
        && sizes.clone().all(|(size, most)| *most == 0 || size <= most)
        && kernel.work_group_size().is_none_or(|required| {
            // The attribute lists the fastest dimension last.
            let mut expected = [1; 3];
            let fastest_first = required.iter().rev();
            expected.iter_mut().zip(fastest_first).for_each(|(to, &from)| *to = u64::from(from));
            expected == local_size
        });
    if fits {
        let occupancy = device.hal.occupancy(&*kernel, local_size, local_bytes)?;
        facts.together = occupancy.together;
        facts.per_unit = occupancy.per_unit.unwrap_or(0);
        (facts.sub_group_size, facts.sub_groups) = occupancy.sub_groups.unwrap_or_default();
    }
    Ok(facts)
}
