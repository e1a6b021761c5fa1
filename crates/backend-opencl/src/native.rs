//! OpenCL's own objects behind the runtime's.
