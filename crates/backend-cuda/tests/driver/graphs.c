// Graphs of the driver in `libcuda.c`, which includes this file: capture of one stream, and launches.
//
// A launch runs the last node whose dependencies have run, so that a missing edge changes the results.

enum { kernel_node, copy_node, box_node, fill_node };
struct node {
  int kind, count, together;
  struct node *deps[8];
  int done;
  void *function;
  uint32_t grid[3], block[3], shared;
  uint32_t *words;
  struct launch launch;
  address to, from;
  size_t size;
  uint32_t value;
  int width;
  struct copy copy;
};
struct graph {
  struct node *nodes[256];
  int count;
};
static struct graph *captured;
static void *captured_stream;
static struct node *ends[8];
static int end_count;

static struct node *add_node(int kind) {
  struct node *n = calloc(1, sizeof *n);
  n->kind = kind;
  memcpy(n->deps, ends, sizeof ends);
  n->count = end_count;
  captured->nodes[captured->count++] = n;
  ends[0] = n;
  end_count = 1;
  return n;
}
static int captures(void *stream) { return captured && stream == captured_stream; }

struct kernel_params {
  void *function;
  uint32_t grid[3], block[3], shared;
  void **arguments, **extra;
};
static void set_kernel(struct node *n, const struct kernel_params *p) {
  n->function = p->function;
  memcpy(n->grid, p->grid, sizeof n->grid);
  memcpy(n->block, p->block, sizeof n->block);
  n->shared = p->shared;
  n->words = *(uint32_t **)p->arguments[0];
  n->launch = *(struct launch *)p->arguments[1];
}
static void capture_kernel(void *function, const uint32_t *grid, const uint32_t *block, uint32_t shared,
                           void **arguments) {
  struct kernel_params p = {function, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, arguments, 0};
  set_kernel(add_node(kernel_node), &p);
}
static void capture_together(void) { ends[0]->together = 1; }
static void capture_copy(address to, address from, size_t size) {
  struct node *n = add_node(copy_node);
  n->to = to, n->from = from, n->size = size;
}
static void capture_box(const struct copy *c) { add_node(box_node)->copy = *c; }
static void capture_fill(address at, uint32_t value, int width, size_t count) {
  struct node *n = add_node(fill_node);
  n->to = at, n->value = value, n->width = width, n->size = count;
}
static result run_node(struct node *n) {
  void *stream = (void *)-1;
  void *arguments[] = {&n->words, &n->launch};
  switch (n->kind) {
  case kernel_node:
    if (n->together)
      return cuLaunchCooperativeKernel(n->function, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1],
                                       n->block[2], n->shared, stream, arguments);
    return cuLaunchKernel(n->function, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2],
                          n->shared, stream, arguments, 0);
  case copy_node:
    return cuMemcpyAsync(n->to, n->from, n->size, stream);
  case box_node:
    return cuMemcpy3DAsync_v2(&n->copy, stream);
  default:
    return n->width == 1   ? cuMemsetD8Async(n->to, (uint8_t)n->value, n->size, stream)
           : n->width == 2 ? cuMemsetD16Async(n->to, (uint16_t)n->value, n->size, stream)
                           : cuMemsetD32Async(n->to, n->value, n->size, stream);
  }
}

result cuStreamBeginCapture_v2(void *stream, int mode) {
  LOST;
  if (captured || mode != 2)
    return 1;
  captured = calloc(1, sizeof *captured);
  captured_stream = stream;
  end_count = 0;
  return 0;
}
result cuStreamEndCapture(void *stream, void **graph) {
  if (!captures(stream))
    return 901;
  *graph = captured;
  captured = 0;
  return 0;
}
result cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, void *const **nodes,
                                 size_t *count) {
  *status = captures(stream);
  *id = 1;
  *graph = captured;
  *nodes = (void *const *)ends;
  *count = (size_t)end_count;
  return 0;
}
result cuStreamUpdateCaptureDependencies(void *stream, void **nodes, size_t count, uint32_t flags) {
  if (!captures(stream) || flags != 1 || count > 8)
    return 1;
  memcpy(ends, nodes, count * sizeof *nodes);
  end_count = (int)count;
  return 0;
}
result cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags) {
  return *exec = graph, state[instances]++, flags ? 1 : 0;
}
result cuGraphDestroy(void *graph) { return graph ? 0 : 1; }
result cuGraphExecDestroy(void *exec) { return exec ? 0 : 1; }
result cuGraphExecKernelNodeSetParams(void *exec, void *node, const struct kernel_params *p) {
  state[node_updates]++;
  return exec && ((struct node *)node)->kind == kernel_node ? (set_kernel(node, p), 0) : 1;
}
result cuGraphLaunch(void *exec, void *stream) {
  LOST;
  struct graph *g = exec;
  if (!stream)
    return 1;
  state[graph_launches]++;
  for (int i = 0; i < g->count; i++)
    g->nodes[i]->done = 0;
  for (int left = g->count; left; left--)
    for (int i = g->count - 1; i >= 0; i--) {
      struct node *n = g->nodes[i];
      int ready = !n->done;
      for (int d = 0; d < n->count; d++)
        ready &= n->deps[d]->done;
      if (!ready)
        continue;
      result code = run_node(n);
      if (code)
        return code;
      n->done = 1;
      break;
    }
  return 0;
}
