// The class by which a .td file asks for a dynamic table: a std::map in C++ that programs may extend while they run.
//
// `-gen-dynamic-tables` writes one map for each record of this class. The map has the record's name, and stands between
// `#ifdef GET_<name>_IMPL` and `#endif`, so that one file may hold several tables and a program may choose.

class DynamicTable {
  // A class. Each record that derives from it becomes an entry.
  string FilterClass = ?;

  // The C++ type of the entries' values. The program declares it: its members have to be in the order of Fields.
  string CppTypeName = FilterClass;

  // The records' fields that an entry is made of. The first is the key of the map, a string or a number. The others
  // initialise the value, in this order.
  //
  // A field `x` that holds a list, several bits or a record needs a description, as a member `TypeOf_x` of the table: "int", "bit",
  // "bits<N>", "string", "list<T>" for a list of any of these types, "list<list<T>>" for a list of lists, and "C" for a record
  // of a class C, which becomes the string in its member `Name`. Bits become a number, of which the first bit is the lowest.
  list<string> Fields = ?;
}
