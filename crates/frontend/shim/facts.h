// The C interface between the shim and Rust. `src/ffi.rs` declares each type, field by field, and
// `src/ffi/numbers.rs` declares each number.
//
// Rust requests the facts of one function, one kernel or one body at a time. The results live in
// the unit's arena until the translation unit ends. Strings are UTF-8 without a terminator.
#ifndef SCYTHE_FRONTEND_FACTS_H
#define SCYTHE_FRONTEND_FACTS_H

#include <cstddef>
#include <cstdint>

extern "C" {

struct scythe_tokens; // the tokens of a unit
struct scythe_unit;   // one translation unit. After scythe_frontend_unit, only the positions of
                      // its AST are valid

struct scythe_str {
  const char *data;
  size_t size;
};

// A declaration: the definition if there is one, otherwise the canonical declaration. Addresses can
// be compared.
typedef const void *scythe_decl;

// A location as clang encodes it. 0 means no location.
typedef uint32_t scythe_loc;

struct scythe_position {
  scythe_str file;
  uint32_t line;
  uint32_t column;
};

// A constant argument of an attribute.
enum scythe_value_kind : uint32_t {
  SCYTHE_VALUE_TEXT = 0,      // text
  SCYTHE_VALUE_SIGNED = 1,    // integer; enumerations have the kind of their values
  SCYTHE_VALUE_UNSIGNED = 2,  // integer
  SCYTHE_VALUE_FLOATING = 3,  // floating
  SCYTHE_VALUE_BOOLEAN = 4,   // integer
  SCYTHE_VALUE_CHARACTER = 5, // integer: its code
  SCYTHE_VALUE_OTHER = 6,     // text: the type
  SCYTHE_VALUE_TUPLE = 7,     // integer: the number of values after it that are its elements
};

struct scythe_value {
  uint32_t kind;
  int64_t integer;
  double floating;
  scythe_str text;
};

// An `annotate` attribute: its text and its arguments. `values` has the integer arguments and
// `text` the first string argument, unless the attribute lists properties.
struct scythe_attribute {
  scythe_str name;
  const int64_t *values;
  size_t value_count;
  scythe_str text;
  scythe_loc loc;
  const scythe_value *arguments;
  size_t argument_count;
};

// A variable with static storage that device code uses.
struct scythe_variable {
  scythe_str symbol;
  const scythe_attribute *attributes; // annotations of its class or of the class of its elements
  size_t attribute_count;
};

enum scythe_function_flag : uint32_t {
  SCYTHE_FUNCTION_DEFINED = 1u << 0,
  SCYTHE_FUNCTION_VARIADIC = 1u << 1,
  SCYTHE_FUNCTION_EXTERNAL = 1u << 2,   // sycl_external
  SCYTHE_FUNCTION_BUILTIN = 1u << 3,    // a builtin that is not a library function
  SCYTHE_FUNCTION_LIBRARY = 1u << 4,    // a library function that clang knows
  SCYTHE_FUNCTION_ALLOCATION = 1u << 5, // a replaceable global operator new or delete
  SCYTHE_FUNCTION_EXTERN_C = 1u << 6,
  SCYTHE_FUNCTION_IN_SYCL = 1u << 7,   // inside namespace sycl
  SCYTHE_FUNCTION_DEFAULTED = 1u << 8, // defaulted, trivial: nothing is called
  SCYTHE_FUNCTION_CONSTEXPR = 1u << 9,
};

struct scythe_function {
  scythe_str name;      // the name in clang's diagnostics, not qualified
  scythe_str qualified; // with namespaces and classes, without template arguments
  uint32_t flags;
  scythe_loc loc;
  scythe_loc instantiated_at; // where a template was first used, or 0
  scythe_decl parent;         // the class of a method
  uint64_t odr_hash;          // of a defined function
  const scythe_attribute *attributes;
  size_t attribute_count;
};

// An action of the code that is generated for a body, in source order.
enum scythe_event_kind : uint32_t {
  SCYTHE_EVENT_CALL = 0,          // decl
  SCYTHE_EVENT_VIRTUAL_CALL = 1,  // decl
  SCYTHE_EVENT_INDIRECT_CALL = 2, //
  SCYTHE_EVENT_LAMBDA = 3,        // decl: call operator of a closure that the body creates
  SCYTHE_EVENT_THROW = 4,
  SCYTHE_EVENT_TRY = 5,
  SCYTHE_EVENT_TYPEID = 6,
  SCYTHE_EVENT_DYNAMIC_CAST = 7,
  SCYTHE_EVENT_GLOBAL = 8, // decl, text: name, flags: scythe_global_flag, decl_loc
  SCYTHE_EVENT_VA_ARG = 9,
  SCYTHE_EVENT_ASM = 10,
  SCYTHE_EVENT_VARIABLE_ARRAY = 11, // text: variable
  SCYTHE_EVENT_ZERO_ARRAY = 12,     // text: variable
  SCYTHE_EVENT_LONG_DOUBLE = 13,
  SCYTHE_EVENT_DOUBLE = 14,
  SCYTHE_EVENT_HALF = 15,
  SCYTHE_EVENT_DECORATED =
      16, // values: aspects of a type that uses_aspects decorates; text: its name
  SCYTHE_EVENT_ADDRESS = 17, // decl: function whose address is taken
};

enum scythe_global_flag : uint32_t {
  SCYTHE_GLOBAL_CONST = 1u << 0,
  SCYTHE_GLOBAL_CONSTANT_INIT = 1u << 1,
  SCYTHE_GLOBAL_STATIC_LOCAL = 1u << 2,
  SCYTHE_GLOBAL_THREAD_LOCAL = 1u << 3,
  SCYTHE_GLOBAL_UNDEFINED = 1u << 4,
  SCYTHE_GLOBAL_SPECIAL = 1u << 5, // its type is annotated scythe::special
};

struct scythe_event {
  uint32_t kind;
  uint32_t flags;
  scythe_loc loc;
  scythe_loc decl_loc;
  scythe_decl decl;
  scythe_str text;
  const int64_t *values;
  size_t value_count;
};

struct scythe_events {
  const scythe_event *data;
  size_t size;
};

enum scythe_field_kind : uint32_t {
  SCYTHE_FIELD_SCALAR = 0, // scalar tells which
  SCYTHE_FIELD_POINTER = 1,
  SCYTHE_FIELD_REFERENCE = 2,
  SCYTHE_FIELD_RECORD = 3, // its members follow, one level deeper
  SCYTHE_FIELD_ARRAY = 4,  // one element follows, one level deeper
  SCYTHE_FIELD_OPAQUE = 5, // bytes without parts: unions, polymorphic classes, vectors
  SCYTHE_FIELD_BITS = 6,   // the storage of a bit-field
};

enum scythe_field_flag : uint32_t {
  SCYTHE_FIELD_CAPTURE = 1u << 0,
  SCYTHE_FIELD_THIS = 1u << 1, // captured `this`
  SCYTHE_FIELD_BASE = 1u << 2,
  SCYTHE_FIELD_TRIVIALLY_COPYABLE = 1u << 3,
  SCYTHE_FIELD_DEVICE_COPYABLE = 1u << 4, // sycl::is_device_copyable_v
  SCYTHE_FIELD_OWN_COPY = 1u << 5,        // the class copies, moves or destroys by itself
  SCYTHE_FIELD_LONG_DOUBLE = 1u << 6,
  SCYTHE_FIELD_EMPTY = 1u << 7,
  SCYTHE_FIELD_CLOSURE = 1u << 8,
};

// A node of the functor's layout, in preorder.
struct scythe_field {
  uint32_t depth;
  uint32_t kind;
  uint32_t flags;
  scythe_loc loc;
  scythe_str name;
  scythe_str type;
  scythe_str scalar;  // i8 … double, for SCALAR
  scythe_str special; // text of scythe::special
  uint64_t offset;    // from the start of the functor
  uint64_t size;      // bytes that belong to this node alone
  uint64_t align;
  uint64_t count;                     // elements of an array
  const scythe_attribute *properties; // of its class, for kernel parameters, or null
};

enum scythe_part_kind : uint32_t {
  SCYTHE_PART_CAPTURE = 0,
  SCYTHE_PART_MEMBER = 1,
  SCYTHE_PART_BASE = 2
};

// A part of a functor in the layout of one pass, in preorder. An array has its first element as
// part. Special types have no parts.
struct scythe_part {
  uint32_t depth; // 0 for the direct parts of the functor
  uint32_t kind;
  scythe_str name;
  scythe_str type;     // in diagnostics
  scythe_str identity; // equal if the types are equal
  uint64_t bit_offset; // from the start of the functor
  uint64_t bit_size;
};

struct scythe_functor {
  scythe_str symbol;
  scythe_str name; // of the kernel, in diagnostics
  scythe_loc loc;
  uint32_t unnamed; // whether the kernel's name contains the type of the lambda at `loc`
  uint64_t size;
  uint64_t align;
  const scythe_part *parts;
  size_t part_count;
};

// A declaration that the spelling of a kernel's name needs.
struct scythe_name_part {
  scythe_str namespaces;  // "a::b", an unnamed one as "", an inline one with "inline " before it;
                          // outermost first
  scythe_str declaration; // "template <typename> class K"
  uint32_t declarable;
  uint32_t closure; // a lambda's type
};

// The reason why the headers cannot call a functor's `get(properties_tag)`.
enum scythe_get_fault : uint32_t {
  SCYTHE_GET_USABLE = 0,
  SCYTHE_GET_HIDDEN = 1,
  SCYTHE_GET_DELETED = 2,
  SCYTHE_GET_OF_TEMPORARIES = 3
};

// A member of a functor's class that all code can name, as `a`, `a.b` or `a[0].b`.
struct scythe_member {
  scythe_str path;
  scythe_str arithmetic; // its type if all compilers spell it alike, otherwise empty
  uint64_t offset;
  uint64_t size;
  uint32_t in_closure; // only g++ can name it: the path contains a capture `x` as `__x`
  uint32_t reserved;
};

// The class of a functor, for the integration header.
struct scythe_functor_type {
  scythe_str spelling; // as in scythe_kernel, with the declarations that it needs
  const scythe_name_part *parts;
  size_t part_count;
  uint64_t align;
  const scythe_member *members;
  size_t member_count;
};

enum scythe_capture_flag : uint32_t {
  SCYTHE_CAPTURE_EXPLICIT = 1u << 0, // named in the capture list
  SCYTHE_CAPTURE_CONSTANT = 1u << 1, // usable in constant expressions
};

struct scythe_capture {
  scythe_str name;
  scythe_loc declared; // of the variable: the same in a template and its instantiations
  uint32_t flags;
};

enum scythe_mention_flag : uint32_t {
  SCYTHE_MENTION_PACK = 1u << 0,
  SCYTHE_MENTION_CONSTANT = 1u << 1, // may be usable in constant expressions
  SCYTHE_MENTION_NESTED = 1u << 2,   // in a nested lambda
};

// A mention, in the text of a lambda, of a variable of an enclosing function that the lambda may
// capture.
struct scythe_mention {
  scythe_str name;
  scythe_loc declared;
  scythe_loc loc;
  uint32_t flags;
  uint32_t reserved;
};

enum scythe_closure_flag : uint32_t {
  SCYTHE_CLOSURE_GENERIC = 1u << 0,
  SCYTHE_CLOSURE_MENTIONS_KNOWN = 1u << 1,
};

// A lambda with a capture default, in a functor.
struct scythe_closure {
  scythe_loc loc;
  uint32_t flags;
  const scythe_capture *captures; // in the order of the fields
  size_t capture_count;
  const scythe_mention *mentions; // in the order of the text
  size_t mention_count;
};

struct scythe_kernel {
  scythe_str symbol;
  scythe_str name;     // as clang's diagnostics show it
  scythe_str spelling; // the name outside all namespaces
  scythe_str shape;
  scythe_str functor; // type, in diagnostics
  // The functor's class and its bases. The call operator belongs to one of them.
  const scythe_decl *functor_classes;
  size_t functor_class_count;
  scythe_loc functor_loc;
  scythe_loc entry_loc;
  uint32_t external;  // whether the name is the same entity in all translation units
  uint32_t by_value;  // whether the entry point takes one object of class type by value
  scythe_loc get_loc; // of a faulty `get(properties_tag)`
  uint32_t get_fault;
  uint64_t functor_size;
  const scythe_field *fields; // fields[0] is the functor itself
  size_t field_count;
  const scythe_name_part *parts;
  size_t part_count;
  scythe_decl function; // of a free function kernel, or null
};

// A rule for free function kernels that a declaration breaks.
enum scythe_free_function_fault : uint32_t {
  SCYTHE_FREE_FUNCTION_RESULT = 0,    // does not return void
  SCYTHE_FREE_FUNCTION_VARIADIC = 1,  // takes variadic arguments
  SCYTHE_FREE_FUNCTION_DEFAULT = 2,   // the parameter `name` has a default argument
  SCYTHE_FREE_FUNCTION_REFERENCE = 3, // the parameter `name` is a reference
  SCYTHE_FREE_FUNCTION_MEMBER = 4,    // is a member function that is not static
  SCYTHE_FREE_FUNCTION_KINDS = 5,     // has two different kinds of kernels as properties
  SCYTHE_FREE_FUNCTION_LATER = 6,     // has the property only on a later declaration
};

struct scythe_faulty_function {
  uint32_t kind;
  scythe_loc loc;
  scythe_str function;
  scythe_str name; // of the parameter, or empty
};

struct scythe_parameter {
  scythe_str name;
  scythe_loc loc;
  uint32_t reserved;
};

// The function of the program that a free function kernel runs.
struct scythe_free_function {
  scythe_str symbol;
  scythe_str name; // with namespaces and template arguments
  scythe_loc loc;
  uint32_t dimensions; // 0 for a single task
  const scythe_parameter *parameters;
  size_t parameter_count;
  const scythe_str *registered; // the names that the unit registers
  size_t registered_count;
  uint64_t odr_hash;
};

struct scythe_decorated_type {
  scythe_str name; // of the type in IR
  const int64_t *values;
  size_t value_count;
};

// A device_global variable, declared or defined.
struct scythe_device_global {
  scythe_str symbol; // in host code, and in device code before it is renamed
  uint64_t size;
  uint32_t external; // whether it is the same entity in all translation units
  uint32_t reserved;
};

// The way in which a program makes a device_global that is not at namespace scope.
enum scythe_misuse_kind : uint32_t {
  SCYTHE_MISUSE_LOCAL = 0,
  SCYTHE_MISUSE_PARAMETER = 1,
  SCYTHE_MISUSE_MEMBER = 2,
  SCYTHE_MISUSE_ARRAY = 3,
  SCYTHE_MISUSE_THREAD_LOCAL = 4,
  SCYTHE_MISUSE_NOT_PUBLIC = 5,
  SCYTHE_MISUSE_NEW = 6,
  SCYTHE_MISUSE_TEMPORARY = 7,
};

struct scythe_misuse {
  uint32_t kind;
  scythe_loc loc;
  scythe_decl decl; // or null
  scythe_str name;  // empty without one
};

// A SYCL attribute on a declaration.
struct scythe_placed {
  scythe_str written; // its name, as the program wrote it
  scythe_loc loc;
  uint32_t on_function;
  uint32_t on_class;
  // The attribute itself, followed by the other annotations of the declaration. Empty if arguments
  // depend on template parameters.
  const scythe_attribute *attributes;
  size_t attribute_count;
};

// A token, as the parser will get it.
enum scythe_token_kind : uint32_t {
  SCYTHE_TOKEN_WORD = 0,        // an identifier or a keyword
  SCYTHE_TOKEN_PUNCTUATION = 1, // in its usual spelling
  SCYTHE_TOKEN_TEXT = 2,        // a string literal
  SCYTHE_TOKEN_OTHER = 3,       // another literal, or a pragma
  SCYTHE_TOKEN_END = 4,
};

struct scythe_token {
  uint32_t kind;
  scythe_loc loc;
  scythe_str text;
};

// A token of an edit: a copy of the token `index`, or a new token with the location of the token
// `index`.
enum scythe_piece_kind : uint32_t {
  SCYTHE_PIECE_COPY = 0,
  SCYTHE_PIECE_WORD = 1,
  SCYTHE_PIECE_PUNCTUATION = 2,
  SCYTHE_PIECE_TEXT = 3, // text: without quotes
};

struct scythe_piece {
  uint32_t kind;
  uint32_t index;
  scythe_str text;
};

// The replacement of the tokens from `start` to before `end`.
struct scythe_edit {
  size_t start;
  size_t end;
  const scythe_piece *pieces;
  size_t piece_count;
};

// The token where the program wrote a SYCL attribute or one of its arguments.
struct scythe_written {
  uint32_t index;
  uint32_t argument; // from 1, or 0 for the attribute itself
  scythe_str name;
};

// All edits, in the order of the tokens. Edits do not overlap.
struct scythe_edits {
  const scythe_edit *edits;
  size_t edit_count;
  const scythe_written *written;
  size_t written_count;
};

// The facts that scythe_frontend_unit gets.
struct scythe_unit_facts {
  scythe_str main_file;
  const scythe_decl *kernels; // entry points, in order of appearance
  size_t kernel_count;
  const scythe_decl *rejected; // entry points that clang does not emit
  size_t rejected_count;
  const scythe_decl *externals; // defined sycl_external functions
  size_t external_count;
  const scythe_decl *instantiations; // of templates in namespace sycl
  size_t instantiation_count;
  const scythe_decl *callers; // the program's own functions, with a body
  size_t caller_count;
  const scythe_decorated_type *types;
  size_t type_count;
  const scythe_device_global *device_globals;
  size_t device_global_count;
  const scythe_misuse *misuses;
  size_t misuse_count;
  const scythe_faulty_function *faulty_functions; // declarations of free function kernels
  size_t faulty_function_count;
  uint32_t name_conflicts; // number of kernel names that clang found in use; not reported yet
  uint32_t errors;         // whether clang reported errors other than kernel names in use
  uint32_t device_global_classes; // whether the unit completed classes of device_globals
};

enum scythe_severity : uint32_t {
  SCYTHE_SEVERITY_NOTE = 0,
  SCYTHE_SEVERITY_REMARK = 1,
  SCYTHE_SEVERITY_WARNING = 2,
  SCYTHE_SEVERITY_ERROR = 3
};

// An error that clang or the shim finds. Rust makes its text (scythe_frontend_words).
enum scythe_words_kind : uint32_t {
  SCYTHE_WORDS_CONSTANT_ARGUMENT = 0, // an argument of an attribute is not a constant expression
  SCYTHE_WORDS_INTEGER_ARGUMENT = 1,  // an argument of an attribute is not an integer
  SCYTHE_WORDS_ASPECT_ARGUMENT = 2,   // an argument of an attribute is not a sycl::aspect
  SCYTHE_WORDS_CONSTANT_PROPERTY = 3, // the value of a property is not a constant expression
  SCYTHE_WORDS_EXTERNAL_PLACE = 4,    // SYCL_EXTERNAL is on a declaration that cannot have it
};

// --- Shim, called by Rust
// ----------------------------------------------------------------------------------------

void scythe_describe_function(scythe_unit *unit, scythe_decl function, scythe_function *out);
void scythe_walk_function(scythe_unit *unit, scythe_decl function, scythe_events *out);
void scythe_describe_kernel(scythe_unit *unit, scythe_decl entry, scythe_kernel *out);
// Describes the function of a free function kernel.
void scythe_describe_free_function(scythe_unit *unit, scythe_decl function,
                                   scythe_free_function *out);
// Describes the functor of an entry point that takes one object of class type.
void scythe_describe_functor(scythe_unit *unit, scythe_decl entry, scythe_functor *out);
// Describes the type of that functor.
void scythe_describe_functor_type(scythe_unit *unit, scythe_decl entry, scythe_functor_type *out);
// Describes the lambdas in that functor that have a capture default.
void scythe_describe_closures(scythe_unit *unit, scythe_decl entry, const scythe_closure **out,
                              size_t *count);
// Returns the macros of the command line that describe the aspects of devices. All are 1.
void scythe_aspect_macros(scythe_unit *unit, const scythe_str **out, size_t *count);
// Returns the symbols of a function in IR. Constructors and destructors have several.
void scythe_function_symbols(scythe_unit *unit, scythe_decl function, const scythe_str **out,
                             size_t *count);
void scythe_describe_variable(scythe_unit *unit, scythe_decl variable, scythe_variable *out);
void scythe_token_at(scythe_tokens *tokens, size_t index, scythe_token *out);
// Whether the compiler reads one position before another.
uint32_t scythe_is_before(scythe_unit *unit, scythe_loc first, scythe_loc second);
// Returns the position of a location, as __FILE__ and __LINE__ give it.
void scythe_locate(scythe_unit *unit, scythe_loc loc, scythe_position *out);
// Returns the position of a call, as __builtin_LINE() in a default argument gives it.
void scythe_locate_call(scythe_unit *unit, scythe_loc loc, scythe_position *out);
// Reports through clang's diagnostics engine. `severity` is a scythe_severity.
void scythe_report(scythe_unit *unit, uint32_t severity, scythe_loc loc, scythe_str message);
// Reports a warning of a group of Scythe, also in system headers. The position is `loc`, or `place`
// if `loc` is 0. `details` are lines after the message.
enum scythe_fate : uint32_t {
  SCYTHE_FATE_WARNING = 0,
  SCYTHE_FATE_ERROR = 1,
  SCYTHE_FATE_NEVER_ERROR = 2
};
void scythe_warn(scythe_unit *unit, uint32_t fate, scythe_str flag, scythe_loc loc,
                 const scythe_position *place, scythe_str message, scythe_str details);
// Fills the pass plug-in description that llvmGetPassPluginInfo returns.
struct scythe_pass_plugin {
  uint32_t api_version;
  const char *name;
  const char *version;
  void *register_callbacks;
  void *pre_codegen;
};
void scythe_pass_plugin_info(scythe_pass_plugin *out);

// --- Rust, called by the shim
// ------------------------------------------------------------------------------------

// Starts a translation unit with the plug-in's arguments. Returns null, or the text of an error,
// which is valid until the next failure.
const char *scythe_frontend_begin(const scythe_str *args, size_t count, uint32_t is_device);
// Edits the attributes that begin at the tokens `starts`, and reports unknown and unsupported
// attributes. The memory behind `out` is valid until the next call.
void scythe_frontend_tokens(scythe_unit *unit, scythe_tokens *tokens, const size_t *starts,
                            size_t count, scythe_edits *out);
// Adds the text after `#pragma`. Returns 1 if the pragma concerns a group of warnings of Scythe.
uint32_t scythe_frontend_pragma(scythe_loc loc, scythe_str text);
// Checks a SYCL attribute on a declaration and reports errors. Returns 1 if there are none.
uint32_t scythe_frontend_attribute(scythe_unit *unit, const scythe_placed *placed);
// Returns 1 and the text of the annotation for accesses to a member with these properties, or
// reports an error and returns 0. The text is valid until the next call.
uint32_t scythe_frontend_member(scythe_unit *unit, const scythe_attribute *properties,
                                scythe_str *out);
// Returns the text of an error. `kind` is a scythe_words_kind. `attribute` and `argument` (from 1)
// say where the error is; both are 0 for errors that do not concern an argument of an attribute.
// The text is valid until the next call.
scythe_str scythe_frontend_words(uint32_t kind, scythe_str attribute, uint32_t argument);
// Returns 1 and the annotation of a variable in the host module, or 0. The text is valid until the
// next call.
uint32_t scythe_frontend_host_variable(const scythe_device_global *variable, scythe_str *out);
// Returns 1 if the precompiled header of the unit is one of the driver's header cache. Such a
// header defines nothing that the unit reports.
uint32_t scythe_frontend_uses_header_cache(void);
// Returns 1 if the unit becomes a precompiled header of the header cache.
uint32_t scythe_frontend_makes_header_cache(void);
// Returns the identifier of the unit as a number.
uint64_t scythe_frontend_unit_id(void);
void scythe_frontend_unit(scythe_unit *unit, const scythe_unit_facts *facts);
// Processes the functors that the host pass launches. `errors` is as in scythe_unit_facts.
void scythe_frontend_launches(scythe_unit *unit, const scythe_functor *launches, size_t count,
                              uint32_t errors);
// Runs the IR passes on the device module of the unit, or registers the variables of a host module.
// Returns null or the text of an error.
const char *scythe_frontend_module(void *module, scythe_unit *unit);
}

// `src/ffi.rs` states the same sizes. A field that only one side has does not compile.
static_assert(sizeof(scythe_position) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_value) == 40, "src/ffi.rs");
static_assert(sizeof(scythe_variable) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_attribute) == 72, "src/ffi.rs");
static_assert(sizeof(scythe_function) == 80, "src/ffi.rs");
static_assert(sizeof(scythe_event) == 56, "src/ffi.rs");
static_assert(sizeof(scythe_events) == 16, "src/ffi.rs");
static_assert(sizeof(scythe_field) == 120, "src/ffi.rs");
static_assert(sizeof(scythe_part) == 72, "src/ffi.rs");
static_assert(sizeof(scythe_functor) == 72, "src/ffi.rs");
static_assert(sizeof(scythe_name_part) == 40, "src/ffi.rs");
static_assert(sizeof(scythe_member) == 56, "src/ffi.rs");
static_assert(sizeof(scythe_functor_type) == 56, "src/ffi.rs");
static_assert(sizeof(scythe_capture) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_mention) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_closure) == 40, "src/ffi.rs");
static_assert(sizeof(scythe_kernel) == 168, "src/ffi.rs");
static_assert(sizeof(scythe_faulty_function) == 40, "src/ffi.rs");
static_assert(sizeof(scythe_parameter) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_free_function) == 80, "src/ffi.rs");
static_assert(sizeof(scythe_decorated_type) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_device_global) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_misuse) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_unit_facts) == 176, "src/ffi.rs");
static_assert(sizeof(scythe_pass_plugin) == 40, "src/ffi.rs");
static_assert(sizeof(scythe_token) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_piece) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_edit) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_written) == 24, "src/ffi.rs");
static_assert(sizeof(scythe_edits) == 32, "src/ffi.rs");
static_assert(sizeof(scythe_placed) == 48, "src/ffi.rs");

#endif
