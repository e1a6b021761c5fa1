//! Ways to partition a device, and their validation. Numbers are those of
//! `sycl::info::partition_property` and `sycl::info::partition_affinity_domain`.

use crate::{DeviceInfo, Errc, Error, Result};

/// `sycl::info::partition_affinity_domain`.
pub mod domain {
    pub const NUMA: u32 = 1;
    pub const NEXT_PARTITIONABLE: u32 = 6;
}

/// The supported ways to partition a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partitions {
    /// The supported properties: bit n is the property with number n.
    pub properties: u32,
    /// The supported domains: bit n is the domain with number n.
    pub affinity_domains: u32,
    /// The maximum number of sub-devices.
    pub max_sub_devices: u32,
}

/// A way to partition a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Partition {
    /// As many sub-devices as fit, each with this number of compute units.
    Equally(u64),
    /// One sub-device for each number, with that number of compute units. Zeros are ignored.
    ByCounts(Vec<u64>),
    /// One sub-device for each part of the machine that shares the resource of the domain.
    ByAffinityDomain(u32),
}

impl Partition {
    /// Returns the number of the partition property.
    pub fn property(&self) -> u32 {
        match self {
            Self::Equally(_) => 1,
            Self::ByCounts(_) => 2,
            Self::ByAffinityDomain(_) => 3,
        }
    }

    /// Returns the number of the affinity domain, or 0 if there is none.
    pub fn affinity_domain(&self) -> u32 {
        match self {
            Self::ByAffinityDomain(domain) => *domain,
            _ => 0,
        }
    }

    /// Checks that a device can be partitioned in this way.
    pub fn check(&self, info: &DeviceInfo, able: &Partitions) -> Result<()> {
        let (name, units) = (&info.name, u64::from(info.max_compute_units));
        let refuse =
            |code: Errc, why: String| Err(Error::new(code, format!("device '{name}' {why}")));
        let has =
            |bits: u32, number: u32| bits.checked_shr(number).is_some_and(|bits| bits & 1 != 0);
        if !has(able.properties, self.property()) {
            let way = ["equally", "by counts", "by affinity domain"][self.property() as usize - 1];
            return refuse(Errc::FeatureNotSupported, format!("cannot be partitioned {way}"));
        }
        match self {
            Self::Equally(count) if *count == 0 || *count > units => refuse(
                Errc::Invalid,
                format!(
                    "has {units} compute units and cannot be partitioned into sub-devices of \
                     {count} compute units"
                ),
            ),
            Self::ByCounts(counts) => {
                let parts = counts.iter().filter(|&&count| count > 0).count();
                let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
                if parts == 0 || parts > able.max_sub_devices as usize {
                    let most = able.max_sub_devices;
                    return refuse(
                        Errc::Invalid,
                        format!("supports 1 to {most} sub-devices, but {parts} were requested"),
                    );
                }
                match total.filter(|&total| total <= units) {
                    Some(_) => Ok(()),
                    None => {
                        let asked = total
                            .map_or_else(|| "more than 2^64 - 1".to_owned(), |n| n.to_string());
                        refuse(
                            Errc::Invalid,
                            format!("has {units} compute units, but {asked} were requested"),
                        )
                    }
                }
            }
            Self::ByAffinityDomain(domain) if !has(able.affinity_domains, *domain) => refuse(
                Errc::FeatureNotSupported,
                format!("cannot be partitioned by affinity domain {domain}"),
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_cannot_do_is_refused_with_the_spec_s_codes() {
        let info =
            DeviceInfo { name: "d".to_owned(), max_compute_units: 4, ..DeviceInfo::default() };
        let able = Partitions {
            properties: 0b1110,
            affinity_domains: 1 << domain::NUMA,
            max_sub_devices: 4,
        };
        let code =
            |how: Partition, able: &Partitions| how.check(&info, able).map_err(|error| error.code);
        for (how, expected) in [
            (Partition::Equally(2), Ok(())),
            (Partition::Equally(4), Ok(())),
            (Partition::Equally(0), Err(Errc::Invalid)),
            (Partition::Equally(5), Err(Errc::Invalid)),
            (Partition::ByCounts(vec![1, 0, 3]), Ok(())),
            (Partition::ByCounts(vec![1, 4]), Err(Errc::Invalid)),
            (Partition::ByCounts(vec![1; 5]), Err(Errc::Invalid)),
            (Partition::ByCounts(vec![0]), Err(Errc::Invalid)),
            (Partition::ByCounts(vec![u64::MAX, 2]), Err(Errc::Invalid)),
            (Partition::ByAffinityDomain(domain::NUMA), Ok(())),
            (
                Partition::ByAffinityDomain(domain::NEXT_PARTITIONABLE),
                Err(Errc::FeatureNotSupported),
            ),
            (Partition::ByAffinityDomain(77), Err(Errc::FeatureNotSupported)),
        ] {
            assert_eq!(code(how.clone(), &able), expected, "{how:?}");
            assert_eq!(code(how, &Partitions::default()), Err(Errc::FeatureNotSupported));
        }
    }
}
