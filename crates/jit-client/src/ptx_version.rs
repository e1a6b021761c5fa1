//! The PTX versions that CUDA drivers accept.

/// Returns the newest PTX version, times ten, that a driver of this CUDA version accepts
/// (`cuDriverGetVersion`: 12040 for 12.4).
pub(crate) fn of_driver(cuda: u32) -> u32 {
    match cuda {
        13000.. => 90,
        12090.. => 88,
        12080.. => 87,
        12070.. => 86,
        12050.. => 85,
        12000.. => 80 + (cuda - 12000) / 10,
        11000.. => 70 + (cuda - 11000) / 10,
        10020.. => 65,
        10010.. => 64,
        _ => 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_know_the_ptx_of_their_release() {
        let known = [
            (13000, 90),
            (12080, 87),
            (12060, 85),
            (12040, 84),
            (12030, 83),
            (12000, 80),
            (11080, 78),
        ];
        for (cuda, ptx) in known {
            assert_eq!(of_driver(cuda), ptx, "{cuda}");
        }
    }
}
