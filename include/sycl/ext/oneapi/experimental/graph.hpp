// Graphs of commands (`sycl_ext_oneapi_graph`).
//
// The runtime holds graphs, nodes and executable graphs. The classes here are handles. A command
// group that is added to a graph runs on a queue of the graph, whose commands become nodes.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_HPP

#include <sycl/queue.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sycl {

namespace ext::oneapi::experimental {

enum class queue_state { executing, recording };
enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  async_malloc,
  async_free
};

// The answer to a former query, in place of `aspect::ext_oneapi_graph`, which all devices have.
enum class graph_support_level { unsupported, native, emulated };
namespace info::device {
struct graph_support {
  using return_type = graph_support_level;
  template <class Device> static return_type scythe_query(const Device &) {
    return graph_support_level::native;
  }
};
} // namespace info::device

class node;
class dynamic_command_group;

namespace property {
namespace graph {
struct no_cycle_check : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 16;
};
struct assume_buffer_outlives_graph : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 17;
};
// A former property, which every graph has now.
struct assume_data_outlives_buffer : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 18;
};
struct updatable : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 19;
};
struct enable_profiling : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 20;
};
struct enable_native_recording : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 21;
};
} // namespace graph
namespace node {
class depends_on;
struct depends_on_all_leaves : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 1u << 22;
};
} // namespace node
} // namespace property

} // namespace ext::oneapi::experimental

namespace detail {

// The state that the copies of a graph share.
template <class V> struct graph_impl : counted {
  handle<scythe_graph> graph;
  ref<context_impl> context;
  device target;
  // Runs the command groups that are added to the graph.
  ref<queue_impl> commands;

  graph_impl(handle<scythe_graph> g, ref<context_impl> c, const device &d)
      : graph(std::move(g)), context(std::move(c)), target(d),
        commands(ref<queue_impl>::adopt(new later_t<V, queue_impl>(context, target, {}, {}))) {
    check(scythe_graph_bind(graph.get(), commands->queue.get()));
  }
  static ref<graph_impl> make(const ref<context_impl> &c, const device &d,
                              const later_t<V, property_list> &p) {
    using namespace ext::oneapi::experimental::property::graph;
    if (p.template has_property<enable_native_recording>())
      fail(errc::feature_not_supported,
           "command_graph: device '%s' does not support enable_native_recording",
           device_label(d).c_str());
    std::uint32_t flags = 0;
    if (p.template has_property<no_cycle_check>())
      flags |= SCYTHE_GRAPH_NO_CYCLE_CHECK;
    if (p.template has_property<assume_buffer_outlives_graph>())
      flags |= SCYTHE_GRAPH_BUFFERS_OUTLIVE;
    scythe_graph made = nullptr;
    check(scythe_graph_create(c->context.get(), access_handle::of(d), flags, &made));
    return ref<graph_impl>::adopt(new graph_impl(handle<scythe_graph>::adopt(made), c, d));
  }
};

// An argument of a command group that is a dynamic parameter.
struct dynamic_use : counted_object {
  ref<counted_object> next;
  std::uint32_t argument = 0;
  // Adds the argument of candidate `index` to the uses of the parameter.
  virtual void apply(handle<scythe_graph_choice> commands, std::uint64_t index) = 0;
};

// Nodes that a property names.
struct node_list : counted {
  handle<scythe_graph_node> node;
  ref<node_list> next;
};

// A value that nodes use as an argument, and the nodes.
template <class T> struct dynamic_value : counted {
  struct use {
    handle<scythe_graph_choice> commands;
    std::uint64_t index;
    std::uint32_t argument;
  };
  alignas(T) unsigned char bytes[sizeof(T)];
  scythe_requirement requirement{nullptr, 0, 0};
  std::vector<use> uses;
  std::atomic_flag lock = ATOMIC_FLAG_INIT;

  void put(const use &u) {
    check(scythe_graph_choice_set_argument(u.commands.get(), u.index, u.argument, bytes, sizeof(T),
                                           requirement.buffer ? &requirement : nullptr));
  }
  void add(use u) {
    spin_guard guard(lock);
    put(u);
    uses.push_back(std::move(u));
  }
  void set(const T &value) {
    spin_guard guard(lock);
    __builtin_memcpy(bytes, __builtin_addressof(value), sizeof(T));
    for (const use &u : uses)
      put(u);
  }
};
template <class T> struct dynamic_use_of final : dynamic_use {
  ref<dynamic_value<T>> value;
  void apply(handle<scythe_graph_choice> commands, std::uint64_t index) override {
    value->add({std::move(commands), index, argument});
  }
};

template <class T> inline constexpr bool is_dynamic_accessor = false;
template <class T, int D, access_mode M, target A, access::placeholder P, class L>
inline constexpr bool is_dynamic_accessor<accessor<T, D, M, A, P, L>> = true;

// Adds command groups to graphs, for which it needs the private functions of a handler.
struct graph_access {
  template <class T> static void bind(handler &h, int index, const ref<dynamic_value<T>> &value) {
    if (!h.in_graph_)
      fail(errc::invalid, "set_arg: a dynamic_parameter can be an argument only in a command group "
                          "that is added to a graph with add");
    auto *use = new dynamic_use_of<T>;
    use->next = std::move(h.dynamic_);
    use->value = value;
    use->argument = static_cast<std::uint32_t>(index);
    // A kernel object starts with the current value.
    h.arguments_.set(index, *reinterpret_cast<const T *>(value->bytes));
    h.dynamic_ = ref<counted_object>::adopt(use);
  }
  template <class A> static scythe_requirement requirement(const A &acc) {
    struct {
      scythe_requirement made;
      void require(scythe_buffer b, unsigned mode, unsigned flags) { made = {b, mode, flags}; }
    } sink{};
    accessor_view::require(sink, acc, 0u);
    return sink.made;
  }
  // Runs a command group. `choice` is the dynamic command group that the command belongs to, or
  // null.
  template <class V>
  static event run(graph_impl<V> &graph, void (*group)(void *, handler &), void *object,
                   scythe_graph_choice choice, std::uint64_t index) {
    handler h(*graph.commands.get(), code_location());
    h.in_graph_ = true;
    group(object, h);
    if (h.dynamic_ && h.command_.kind != SCYTHE_COMMAND_KERNEL &&
        h.command_.kind != SCYTHE_COMMAND_NATIVE_KERNEL)
      fail(errc::invalid, "add: a command group with a dynamic_parameter must launch a kernel");
    event done = h.submit();
    for (counted_object *o = h.dynamic_.get(); o;) {
      auto *use = static_cast<dynamic_use *>(o);
      handle<scythe_graph_choice> commands = handle<scythe_graph_choice>::share(choice);
      if (!commands) {
        scythe_graph_node node = nullptr;
        check(scythe_graph_node_of_event(done.scythe_handle(), &node));
        const auto owned = handle<scythe_graph_node>::adopt(node);
        scythe_graph_choice own = nullptr;
        check(scythe_graph_node_choice(node, &own));
        commands = handle<scythe_graph_choice>::adopt(own);
      }
      use->apply(std::move(commands), index);
      o = use->next.get();
    }
    return done;
  }
  static void set_graph(handler &h, scythe_graph_exec exec) {
    h.set_kind(SCYTHE_COMMAND_GRAPH);
    // The executable graph may end with the command group. The handler releases it.
    scythe_graph_exec_retain(exec);
    h.command_.u.graph = exec;
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

// --- Nodes

class node {
public:
  node() = delete;
  explicit node(sycl::detail::handle<scythe_graph_node> impl) : impl_(std::move(impl)) {}

  template <class V = void> node_type get_type() const {
    std::uint32_t type = 0;
    sycl::detail::check(scythe_graph_node_type(impl_.get(), &type));
    return static_cast<node_type>(type);
  }
  template <class V = node> std::vector<V> get_predecessors() const {
    return V::template scythe_select<V>(nullptr, impl_.get(), SCYTHE_GRAPH_PREDECESSORS);
  }
  template <class V = node> std::vector<V> get_successors() const {
    return V::template scythe_select<V>(nullptr, impl_.get(), SCYTHE_GRAPH_SUCCESSORS);
  }
  template <class V = void> static node get_node_from_event(const event &e) {
    scythe_graph_node found = nullptr;
    sycl::detail::check(scythe_graph_node_of_event(e.scythe_handle(), &found));
    return node(sycl::detail::handle<scythe_graph_node>::adopt(found));
  }
  template <int D> void update_nd_range(nd_range<D> r) {
    scythe_kernel_launch launch{};
    launch.shape = SCYTHE_SHAPE_ND_RANGE;
    launch.dims = D;
    launch.cooperation = SCYTHE_COOPERATION_NONE;
    sycl::detail::set_nd_range<D>(launch, r);
    sycl::detail::check(scythe_graph_node_set_ranges(impl_.get(), &launch));
  }
  template <int D> void update_range(range<D> r) {
    scythe_kernel_launch launch{};
    launch.shape = SCYTHE_SHAPE_RANGE;
    launch.dims = D;
    sycl::detail::set_range(launch, r, id<D>());
    sycl::detail::check(scythe_graph_node_set_ranges(impl_.get(), &launch));
  }

  friend bool operator==(const node &a, const node &b) { return a.scythe_id() == b.scythe_id(); }
  friend bool operator!=(const node &a, const node &b) { return !(a == b); }

  scythe_graph_node scythe_handle() const noexcept { return impl_.get(); }
  std::uint64_t scythe_id() const noexcept { return scythe_graph_node_id(impl_.get()); }
  // Returns the nodes that a selection of the C interface contains.
  template <class V = node>
  static std::vector<V> scythe_select(scythe_graph graph, scythe_graph_node around,
                                      std::uint32_t selection) {
    std::vector<V> list;
    sycl::detail::check(scythe_graph_select(
        graph, around, selection,
        [](void *ctx, scythe_graph_node one) {
          static_cast<std::vector<V> *>(ctx)->push_back(
              V(sycl::detail::handle<scythe_graph_node>::adopt(one)));
        },
        &list));
    return list;
  }

private:
  sycl::detail::handle<scythe_graph_node> impl_;
};

namespace property::node {
class depends_on : public sycl::detail::property_base {
public:
  template <class... Nodes,
            class = std::enable_if_t<(std::is_same_v<Nodes, experimental::node> && ... && true)>>
  depends_on(const Nodes &...nodes) {
    (add(nodes), ...);
  }
  template <class V = experimental::node> std::vector<V> get_dependencies() const {
    std::vector<V> list;
    for (auto *one = nodes_.get(); one; one = one->next.get())
      list.push_back(V(one->node));
    return list;
  }

private:
  void add(const experimental::node &one) {
    auto *added = new sycl::detail::node_list;
    added->node = sycl::detail::handle<scythe_graph_node>::share(one.scythe_handle());
    added->next = std::move(nodes_);
    nodes_ = sycl::detail::ref<sycl::detail::node_list>::adopt(added);
  }
  sycl::detail::ref<sycl::detail::node_list> nodes_;
};
} // namespace property::node

// --- Graphs

template <> class command_graph<graph_state::executable> {
public:
  command_graph() = delete;
  command_graph(sycl::detail::handle<scythe_graph_exec> impl,
                sycl::detail::ref<sycl::detail::async_errors> errors)
      : impl_(std::move(impl)), errors_(std::move(errors)) {}

  template <class V = void> void update(const node &one) {
    scythe_graph_node handle = one.scythe_handle();
    sycl::detail::check(scythe_graph_exec_update_nodes(impl_.get(), &handle, 1));
  }
  template <class V = node> void update(const std::vector<sycl::detail::later_t<V, node>> &nodes) {
    std::vector<sycl::detail::later_t<V, scythe_graph_node>> handles;
    for (const V &one : nodes)
      handles.push_back(one.scythe_handle());
    sycl::detail::check(
        scythe_graph_exec_update_nodes(impl_.get(), handles.data(), handles.size()));
  }
  template <graph_state State> void update(const command_graph<State> &graph) {
    static_assert(State == graph_state::modifiable, "update: the graph must be modifiable");
    sycl::detail::check(scythe_graph_exec_update(impl_.get(), graph.scythe_impl()->graph.get()));
  }
  // Graphs do not own memory.
  std::size_t get_required_mem_size() const noexcept { return 0; }

  friend bool operator==(const command_graph &a, const command_graph &b) {
    return a.impl_ == b.impl_;
  }
  friend bool operator!=(const command_graph &a, const command_graph &b) { return !(a == b); }

  scythe_graph_exec scythe_handle() const noexcept { return impl_.get(); }
  const sycl::detail::ref<sycl::detail::async_errors> &scythe_errors() const { return errors_; }

private:
  sycl::detail::handle<scythe_graph_exec> impl_;
  sycl::detail::ref<sycl::detail::async_errors> errors_;
};

// A modifiable graph.
template <graph_state State> class command_graph {
  // Names that depend on the template parameter, so that unused functions are not instantiated.
  using tag = std::integral_constant<graph_state, State>;
  using impl = sycl::detail::graph_impl<tag>;
  using node = sycl::detail::later_t<tag, experimental::node>;
  using nodes = std::vector<node>;
  using queues = std::vector<sycl::detail::later_t<tag, queue>>;
  using properties = sycl::detail::later_t<tag, sycl::property_list>;

public:
  command_graph(const context &c, const device &d, const properties &p = {})
      : impl_(impl::make(c.scythe_impl(), d, p)) {}
  explicit command_graph(const queue &q, const properties &p = {})
      : impl_(impl::make(q.scythe_impl()->context, q.scythe_impl()->target, p)) {}
  explicit command_graph(const device &d, const properties &p = {})
      : impl_(impl::make(sycl::detail::default_context(d), d, p)) {}
  explicit command_graph(sycl::detail::ref<impl> i) : impl_(std::move(i)) {}

  command_graph<graph_state::executable> finalize(const properties &p = {}) const {
    std::uint32_t flags = 0;
    if (p.template has_property<experimental::property::graph::updatable>())
      flags |= SCYTHE_GRAPH_EXEC_UPDATABLE;
    if (p.template has_property<experimental::property::graph::enable_profiling>())
      flags |= SCYTHE_GRAPH_EXEC_PROFILING;
    scythe_graph_exec made = nullptr;
    sycl::detail::check(scythe_graph_finalize(handle(), flags, &made));
    return {sycl::detail::handle<scythe_graph_exec>::adopt(made), impl_->commands->errors};
  }

  void begin_recording(queue &q, const properties & = {}) {
    sycl::detail::check(scythe_graph_begin(handle(), q.scythe_impl()->queue.get()));
  }
  void begin_recording(const queues &list, const properties & = {}) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (const scythe_status status =
              scythe_graph_begin(handle(), list[i].scythe_impl()->queue.get())) {
        const std::string message = scythe_last_error();
        for (std::size_t j = 0; j < i; ++j)
          scythe_graph_end(handle(), list[j].scythe_impl()->queue.get());
        throw exception(make_error_code(static_cast<errc>(status)), message);
      }
  }
  void end_recording() { sycl::detail::check(scythe_graph_end(handle(), nullptr)); }
  void end_recording(queue &q) {
    sycl::detail::check(scythe_graph_end(handle(), q.scythe_impl()->queue.get()));
  }
  void end_recording(const queues &list) {
    for (const queue &q : list)
      sycl::detail::check(scythe_graph_end(handle(), q.scythe_impl()->queue.get()));
  }

  node add(const properties &p = {}) {
    return add_group([](void *, handler &) {}, nullptr, p);
  }
  template <class F, class = std::enable_if_t<std::is_invocable_v<F &, handler &>>>
  node add(F group, const properties &p = {}) {
    return add_group([](void *f, handler &h) { (*static_cast<F *>(f))(h); },
                     __builtin_addressof(group), p);
  }
  template <class Group, class = std::enable_if_t<std::is_same_v<Group, dynamic_command_group>>,
            class = void>
  node add(Group &group, const properties &p = {}) {
    const nodes before = dependencies(p);
    scythe_graph_node added = nullptr;
    sycl::detail::check(scythe_graph_choice_add(handle(), group.scythe_handle(), &added));
    return follow(node(sycl::detail::handle<scythe_graph_node>::adopt(added)), before);
  }

  void make_edge(node &source, node &target) {
    sycl::detail::check(
        scythe_graph_make_edge(handle(), source.scythe_handle(), target.scythe_handle()));
  }
  void print_graph(const std::string &path, bool verbose = false) const {
    sycl::detail::check(scythe_graph_print(handle(), path.c_str(), verbose));
  }
  nodes get_nodes() const { return select(SCYTHE_GRAPH_NODES); }
  nodes get_root_nodes() const { return select(SCYTHE_GRAPH_ROOTS); }
  bool empty() const { return get_nodes().empty(); }
  std::size_t get_id() const noexcept { return scythe_graph_id(handle()); }

  friend bool operator==(const command_graph &a, const command_graph &b) {
    return a.impl_->graph == b.impl_->graph;
  }
  friend bool operator!=(const command_graph &a, const command_graph &b) { return !(a == b); }

  const sycl::detail::ref<impl> &scythe_impl() const noexcept { return impl_; }
  static sycl::detail::ref<impl> scythe_make(sycl::detail::handle<scythe_graph> graph,
                                             const sycl::detail::ref<sycl::detail::context_impl> &c,
                                             const device &d) {
    return sycl::detail::ref<impl>::adopt(new impl(std::move(graph), c, d));
  }

private:
  scythe_graph handle() const noexcept { return impl_->graph.get(); }
  nodes select(std::uint32_t selection) const {
    return node::template scythe_select<node>(handle(), nullptr, selection);
  }
  node add_group(void (*group)(void *, handler &), void *object, const properties &p) {
    sycl::detail::check(scythe_graph_check_explicit(handle(), "add"));
    const nodes before = dependencies(p);
    return follow(node::template get_node_from_event<tag>(
                      sycl::detail::graph_access::run(*impl_, group, object, nullptr, 0)),
                  before);
  }
  // Returns the nodes that the properties name.
  nodes dependencies(const properties &p) const {
    nodes list;
    if (p.template has_property<experimental::property::node::depends_on>())
      list = p.template get_property<experimental::property::node::depends_on>()
                 .template get_dependencies<node>();
    for (const node &one : list)
      if (one.scythe_id() >> 32 != get_id())
        sycl::detail::fail(errc::invalid, "add: depends_on names a node of another graph");
    if (p.template has_property<experimental::property::node::depends_on_all_leaves>())
      for (const node &leaf : select(SCYTHE_GRAPH_LEAVES))
        list.push_back(leaf);
    return list;
  }
  node follow(node added, const nodes &before) {
    for (const node &one : before)
      sycl::detail::check(
          scythe_graph_make_edge(handle(), one.scythe_handle(), added.scythe_handle()));
    return added;
  }

  sycl::detail::ref<impl> impl_;
};

command_graph(const context &, const device &, const sycl::property_list & = {})
    -> command_graph<graph_state::modifiable>;
command_graph(const queue &, const sycl::property_list & = {})
    -> command_graph<graph_state::modifiable>;
command_graph(const device &, const sycl::property_list & = {})
    -> command_graph<graph_state::modifiable>;

// --- Values and command groups that change

template <class T> class dynamic_parameter {
public:
  dynamic_parameter(command_graph<graph_state::modifiable>, const T &initial)
      : dynamic_parameter(initial) {}
  explicit dynamic_parameter(const T &initial)
      : value_(sycl::detail::ref<sycl::detail::dynamic_value<T>>::adopt(
            new sycl::detail::dynamic_value<T>)) {
    update(initial);
  }
  void update(const T &value) {
    if constexpr (sycl::detail::is_dynamic_accessor<T>)
      value_->requirement = sycl::detail::graph_access::requirement(value);
    value_->set(value);
  }
  friend bool operator==(const dynamic_parameter &a, const dynamic_parameter &b) {
    return a.value_ == b.value_;
  }
  friend bool operator!=(const dynamic_parameter &a, const dynamic_parameter &b) {
    return !(a == b);
  }

  void scythe_bind(handler &h, int index) const {
    sycl::detail::graph_access::bind(h, index, value_);
  }
  const scythe_requirement &scythe_requirement_of() const { return value_->requirement; }

private:
  sycl::detail::ref<sycl::detail::dynamic_value<T>> value_;
};
template <class T>
dynamic_parameter(command_graph<graph_state::modifiable>, T) -> dynamic_parameter<T>;

class dynamic_command_group {
public:
  template <class V = void>
  dynamic_command_group(
      const command_graph<graph_state::modifiable> &graph,
      const sycl::detail::later_t<V, std::vector<std::function<void(handler &)>>> &groups) {
    using group = sycl::detail::later_t<V, std::function<void(handler &)>>;
    auto &impl =
        *static_cast<const sycl::detail::later_t<V, command_graph<>> &>(graph).scythe_impl().get();
    scythe_graph_choice choice = nullptr;
    sycl::detail::check(scythe_graph_choice_open(impl.graph.get(), &choice));
    choice_ = sycl::detail::handle<scythe_graph_choice>::adopt(choice);
    struct closing {
      scythe_graph graph;
      ~closing() { scythe_graph_choice_close(graph); }
    } close{impl.graph.get()};
    for (std::size_t i = 0; i < groups.size(); ++i)
      sycl::detail::graph_access::run(
          impl, [](void *f, handler &h) { (*static_cast<const group *>(f))(h); },
          const_cast<group *>(&groups[i]), choice, i);
    sycl::detail::check(scythe_graph_choice_check(choice));
  }
  std::size_t get_active_index() const { return scythe_graph_choice_active(choice_.get()); }
  template <class V = void> void set_active_index(std::size_t index) {
    sycl::detail::check(scythe_graph_choice_activate(choice_.get(), index));
  }
  friend bool operator==(const dynamic_command_group &a, const dynamic_command_group &b) {
    return a.choice_ == b.choice_;
  }
  friend bool operator!=(const dynamic_command_group &a, const dynamic_command_group &b) {
    return !(a == b);
  }

  scythe_graph_choice scythe_handle() const noexcept { return choice_.get(); }

private:
  sycl::detail::handle<scythe_graph_choice> choice_;
};

// --- Commands as free functions (`sycl_ext_oneapi_enqueue_functions`)

template <class V = void>
void execute_graph(queue q, sycl::detail::later_t<V, command_graph<graph_state::executable>> &g) {
  q.ext_oneapi_graph(g);
}
template <class V = void>
void execute_graph(handler &h,
                   sycl::detail::later_t<V, command_graph<graph_state::executable>> &g) {
  h.ext_oneapi_graph(g);
}

} // namespace ext::oneapi::experimental

// --- Functions of queue and handler

inline void handler::ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                                      ext::oneapi::experimental::graph_state::executable> &graph) {
  detail::graph_access::set_graph(*this, graph.scythe_handle());
  queue_.errors->follow(graph.scythe_errors());
}

inline event queue::ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                                         ext::oneapi::experimental::graph_state::executable> &graph,
                                     deps after) {
  scythe_command c = plain(SCYTHE_COMMAND_GRAPH);
  c.u.graph = graph.scythe_handle();
  impl_->errors->follow(graph.scythe_errors());
  return submit_now(c, after);
}
inline ext::oneapi::experimental::queue_state queue::ext_oneapi_get_state() const {
  return scythe_queue_is_recording(impl_->queue.get())
             ? ext::oneapi::experimental::queue_state::recording
             : ext::oneapi::experimental::queue_state::executing;
}
template <class V> V queue::ext_oneapi_get_graph() const {
  scythe_graph found = nullptr;
  detail::check(scythe_queue_graph(impl_->queue.get(), &found));
  return V(
      V::scythe_make(detail::handle<scythe_graph>::adopt(found), impl_->context, impl_->target));
}

} // namespace sycl

template <> struct std::hash<sycl::ext::oneapi::experimental::node> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::node &n) const noexcept {
    return std::hash<std::uint64_t>()(n.scythe_id());
  }
};
template <sycl::ext::oneapi::experimental::graph_state State>
struct std::hash<sycl::ext::oneapi::experimental::command_graph<State>> {
  template <class Graph> std::size_t operator()(const Graph &graph) const {
    if constexpr (State == sycl::ext::oneapi::experimental::graph_state::executable)
      return std::hash<const void *>()(graph.scythe_handle());
    else
      return std::hash<const void *>()(graph.scythe_impl()->graph.get());
  }
};

#include <sycl/ext/oneapi/experimental/graph/dynamic_local.hpp>

#endif
