// The device configuration as a C++ table, <scythe/DeviceConfigFile.hpp> of an installed tree. The
// table itself, which
//   scythe-tools dynamic-tblgen -gen-dynamic-tables DeviceConfig.td -o device_config_file.inc
// writes, stands beside it; its initialisers are in the order of the members below.
#ifndef SCYTHE_DEVICE_CONFIG_FILE_HPP
#define SCYTHE_DEVICE_CONFIG_FILE_HPP

#include <map>
#include <string>
#include <vector>

namespace DeviceConfigFile {

struct TargetInfo {
  std::vector<std::string> aspects;
  bool maySupportOtherAspects;
  std::vector<unsigned> subGroupSizes;
  std::string aotToolchain;
  std::string aotToolchainOptions;
};

using TargetTable_t = std::map<std::string, TargetInfo>;

#define GET_TargetTable_IMPL
#include "device_config_file.inc"
#undef GET_TargetTable_IMPL

} // namespace DeviceConfigFile

#endif
