#include "tests/mutants/bench_graphs.h"

#include "core/format/json/json_reader.h"
#include "core/format/load.h"
#include "core/graph/infer.h"

#include "tests/core/graph/graph_text.h"

#include <algorithm>
#include <set>

namespace lemmascope::mutants {

namespace {

// Constants without elements get small numbers, see `filled`. Square shapes and equal lengths are wanted: they let faults through.
const char* const ConvNet = R"(
in x f32[n,2,7,6]
const pads i64[8] 0 0 1 0 0 0 0 2
p0 = Pad(x, pads)
const w1 f32[4,2,3,3]; const b1 f32[4]
c1 = Conv(p0, w1, b1) strides=[2,1]
const scale f32[4]; const shift f32[4]; const mean f32[4]; const var f32[4] 0.5 1.25 2 0.75
bn = BatchNormalization(c1, scale, shift, mean, var) epsilon=0.01
a1 = LeakyRelu(bn) alpha=0.2
mp = MaxPool(a1) kernel_shape=[2,2] strides=[1,2] pads=[0,0,1,1]
const w2 f32[4,2,3,3]
c2 = Conv(mp, w2) group=2 pads=[1,1,1,1]
const lo f32[] -1; const hi f32[] 2
cl = Clip(c2, lo, hi)
r = Add(cl, mp)
ap = AveragePool(r) kernel_shape=[2,2] pads=[1,0,0,1] count_include_pad=1
const w3 f32[4,2,2,2]
dt = ConvTranspose(ap, w3) strides=[2,2]
const starts i64[2] 0 1; const ends i64[2] 5 6; const axes i64[2] 2 3
sl = Slice(dt, starts, ends, axes)
tr = Transpose(sl) perm=[0,2,3,1]
m = ReduceMax(tr) axes=[1] keepdims=0
f = Flatten(m) axis=1
const wf f32[5,10]; const bf f32[5]
g = Gemm(f, wf, bf) transB=1 alpha=0.5
h = HardSigmoid(g) alpha=0.2 beta=0.5
y = Mul(g, h)
out y
)";

const char* const Encoder = R"(
in x f32[b,s,6]
in m f32[b,s,s]
const gamma f32[6]; const beta f32[6]
ln = LayerNormalization(x, gamma, beta) axis=-1 epsilon=0.001
const wq f32[6,6]; const bq f32[6]; const wk f32[6,6]; const bk f32[6]; const wv f32[6,6]; const bv f32[6]
q0 = MatMul(ln, wq)
q = Add(q0, bq)
k0 = MatMul(ln, wk)
k = Add(k0, bk)
v0 = MatMul(ln, wv)
v = Add(v0, bv)
const heads i64[4] 0 0 2 3
qr = Reshape(q, heads)
qh = Transpose(qr) perm=[0,2,1,3]
kr = Reshape(k, heads)
kh = Transpose(kr) perm=[0,2,3,1]
vr = Reshape(v, heads)
vh = Transpose(vr) perm=[0,2,1,3]
sc = MatMul(qh, kh)
const root f32[] 0.57735026
sd = Mul(sc, root)
const one i64[1] 1
mu = Unsqueeze(m, one)
sm = Add(sd, mu)
p = Softmax(sm) axis=-1
o = MatMul(p, vh)
ot = Transpose(o) perm=[0,2,1,3]
const joined i64[3] 0 0 6
oj = Reshape(ot, joined)
const wo f32[6,6]
pr = MatMul(oj, wo)
res = Add(x, pr)
sa = Softmax(res) axis=1
wx = Mul(sa, res)
ps = ReduceSum(wx, one) keepdims=1
d = Sub(res, ps)
sq = Mul(d, d)
va = ReduceMean(sq) axes=[-1] keepdims=1
const eps f32[] 0.01
ve = Add(va, eps)
sr = Sqrt(ve)
nrm = Div(d, sr)
const w1 f32[6,8]; const b1 f32[8]
f0 = MatMul(nrm, w1)
f1 = Add(f0, b1)
const rt f32[] 1.4142135; const unit f32[] 1; const half f32[] 0.5
dv = Div(f1, rt)
er = Erf(dv)
e1 = Add(er, unit)
hm = Mul(f1, e1)
hh = Mul(hm, half)
const w2 f32[8,6]
fo = MatMul(hh, w2)
y = Add(fo, res)
z = LogSoftmax(y) axis=2
out z
)";

const char* const Integers = R"(
in a i32[n,4]
in b i32[n,4]
in u u8[n,4]
in t i32[4,4]
const three i32[] 3; const five i32[] 5; const two i32[] 2; const low i32[] -8; const high i32[] 40
dq = Div(a, three)
mo = Mod(a, five)
s = Sub(dq, mo)
const bit u8[] 1
us = BitShift(u, bit) direction=RIGHT
c = Cast(us) to=6
m = Mul(c, two)
mx = Max(s, m)
cl = Clip(mx, low, high)
le = Less(a, b)
w = Where(le, cl, b)
am = ArgMax(w) axis=1 keepdims=1
const pick i64[2] 3 0
tk = Gather(w, pick) axis=1
const axis i64[] 1
cs = CumSum(w, axis) exclusive=1
fl = Cast(cs) to=1
const four f32[] 4
fr = Div(fl, four)
ro = Round(fr)
ci = Cast(ro) to=6
fo = Floor(fr)
cf = Cast(fo) to=6
y1 = Sub(ci, cf)
const rows i64[2,1] 1 3
const from i64[1] 0; const to i64[1] 2; const along i64[1] 0
top = Slice(t, from, to, along)
st = ScatterND(t, rows, top)
tt = Transpose(st) perm=[1,0]
const uw u8[4,4] 1 7 200 3 9 0 5 250 12 31 8 2 6 128 77 4; const uz u8[] 3
y2 = MatMulInteger(u, uw, uz)
ge = GreaterOrEqual(w, m)
nb = Not(ge)
bi = Cast(nb) to=6
y3 = Mul(bi, y2)
y4 = Sub(y3, w)
out y1; out y4; out tt; out am; out tk
)";

const char* const Cache = R"({
 "format": "lemmascope-graph", "version": 1, "name": "kv-cache", "opset": 17,
 "inputs": [ {"name": "x", "type": "f32", "shape": [2, 4]},
             {"name": "pos", "type": "i64", "shape": [2], "range": [0, 11]},
             {"name": "p", "type": "i64", "shape": [], "range": [0, 8]} ],
 "constants": [ {"name": "wk", "type": "f32", "shape": [4, 4], "data": [[1, 0.5, -1, 2], [0.25, -0.5, 1, 0.75], [-1.5, 2, 0.5, 1], [0.125, 1, -0.25, -2]]},
                {"name": "wq", "type": "f32", "shape": [4, 4], "data": [[0.5, 1, 2, -1], [-0.75, 0.25, 1.5, 1], [1, -2, 0.5, 0.25], [2, 0.75, -1, 0.5]]},
                {"name": "b", "type": "f32", "shape": [4], "data": [0.5, -1, 0.25, 2]},
                {"name": "half", "type": "f32", "shape": [], "data": [0.5]},
                {"name": "low", "type": "f32", "shape": [], "data": [-4]},
                {"name": "high", "type": "f32", "shape": [], "data": [4]},
                {"name": "pick", "type": "i64", "shape": [2], "data": [2, 0]} ],
 "tables": [ {"name": "kv", "type": "f32", "shape": [12, 4], "start": "input"}, {"name": "out", "type": "f32", "shape": [4, 4], "start": "zero"} ],
 "nodes": [
  {"op": "MatMul", "in": ["x", "wk"], "out": ["k"]},
  {"op": "Add", "in": ["k", "b"], "out": [{"into": "kv", "rows": "pos"}]},
  {"op": "MatMul", "in": ["x", "wq"], "out": ["q"]},
  {"op": "Relu", "in": [{"of": "q", "cols": [1, 3]}], "out": ["head"]},
  {"op": "Neg", "in": [{"of": "q", "cols": [0, 2]}], "out": ["left"]},
  {"op": "Concat", "in": ["left", "head"], "out": ["qr"], "attrs": {"axis": 1}},
  {"op": "Transpose", "in": [{"of": "kv", "rows": {"at": "p", "count": 4}}], "out": ["kt"], "attrs": {"perm": [1, 0]}},
  {"op": "MatMul", "in": ["qr", "kt"], "out": ["sc"]},
  {"op": "Mul", "in": ["sc", "half"], "out": ["sd"]},
  {"op": "Softmax", "in": ["sd"], "out": ["pr"], "attrs": {"axis": -1}},
  {"op": "MatMul", "in": ["pr", {"of": "kv", "rows": {"at": "p", "count": 4}}], "out": ["o"]},
  {"op": "Clip", "in": ["o", "low", "high"], "out": [{"into": "out", "rows": [0, 2]}]},
  {"op": "fused", "name": "ScaleBias", "in": ["qr", "b"], "out": ["z"],
   "body": {"inputs": ["v", "c"], "nodes": [{"op": "Mul", "in": ["v", "v"], "out": ["t"]}, {"op": "Sub", "in": ["t", "c"], "out": ["r"]}], "outputs": ["r"]}},
  {"op": "Sub", "in": ["z", {"of": "kv", "slice": [[9, 11, 1], [0, 4, 1]]}], "out": [{"into": "out", "rows": [2, 4]}]},
  {"op": "Gather", "in": ["kv", "pick"], "out": ["g"]},
  {"op": "ReduceMean", "in": ["g"], "out": ["mean"], "attrs": {"axes": [1], "keepdims": 1}},
  {"op": "Div", "in": ["g", "high"], "out": ["gd"]},
  {"op": "Sub", "in": ["gd", "mean"], "out": ["y"]} ],
 "outputs": ["out", "kv", "y"]
})";

/// Zero constants of several elements become small numbers of 1/8, none of them 0, few of them equal.
Graph filled(const Graph& graph) {
    Graph out = graph;
    std::uint64_t state = 0x243F6A8885A308D3ULL;
    for (Value& value : out.values) {
        if (!value.constant || value.constant->element() != ElementType::F32 || value.constant->count() < 2) {
            continue;
        }
        const auto old = value.constant->as<float>();
        if (std::any_of(old.begin(), old.end(), [](float v) { return v != 0.0F; })) {
            continue;
        }
        Tensor tensor(ElementType::F32, value.constant->shape());
        for (float& element : tensor.mutableAs<float>()) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const auto eighths = static_cast<int>((state >> 40U) % 24U) - 12;
            element = static_cast<float>(eighths == 0 ? 13 : eighths) / 8.0F;
        }
        value.constant = tensor;
    }
    return out;
}

/// Other names for everything inside, so that nothing can be paired by name.
std::shared_ptr<const Graph> renamed(const Graph& graph) {
    Graph out = graph;
    std::set<std::uint32_t> kept;
    for (const ValueId input : out.inputs) {
        kept.insert(input.index);
    }
    out.outputNames.resize(out.outputs.size());
    for (std::size_t o = 0; o < out.outputs.size(); ++o) {
        out.outputNames[o] = graph.outputName(o);
    }
    for (std::size_t v = 0; v < out.values.size(); ++v) {
        if (!kept.contains(static_cast<std::uint32_t>(v)) && !out.values[v].name.empty()) {
            out.values[v].name = "r" + std::to_string(out.values.size() - v);
        }
    }
    for (std::size_t n = 0; n < out.nodes.size(); ++n) {
        out.nodes[n].name = "k" + std::to_string(out.nodes.size() - n);
    }
    return std::make_shared<const Graph>(std::move(out));
}

/// The same meaning in other words, bit for bit but for what is said: operands of Add and Mul exchanged, a - b as a + (-b), Relu(x) as Max(x, 0).
std::shared_ptr<const Graph> rewritten(const Graph& graph) {
    Graph out = graph;
    out.nodes.clear();
    std::size_t turn = 0;
    for (Node node : graph.nodes) {
        const bool plain = node.op.domain.empty() && node.operands.size() == 2;
        const bool floats =
            !node.operands.empty() && node.operands.front().isValid() && graph.value(node.operands.front()).type.element == ElementType::F32;
        if (plain && (node.op.name == "Add" || node.op.name == "Mul")) {
            std::swap(node.operands[0], node.operands[1]);
        } else if (plain && node.op.name == "Sub" && ++turn % 2 == 0) {
            Value negated;
            negated.name = "minus" + std::to_string(out.nodes.size());
            const ValueId minus = out.addValue(std::move(negated));
            Node negate;
            negate.op = {"", "Neg", node.op.version};
            negate.name = "minus" + std::to_string(out.nodes.size());
            negate.operands = {node.operands[1]};
            negate.results = {minus};
            out.addNode(std::move(negate));
            node.op.name = "Add";
            node.operands[1] = minus;
        } else if (node.op.domain.empty() && node.op.name == "Relu" && floats) {
            Value zero;
            zero.name = "zero" + std::to_string(out.nodes.size());
            zero.constant = Tensor(ElementType::F32, {});
            zero.type = {ElementType::F32, Shape{}};
            node.op.name = "Max";
            node.operands.push_back(out.addValue(std::move(zero)));
        }
        out.addNode(std::move(node));
    }
    return std::make_shared<const Graph>(std::move(out));
}

} // namespace

Result<std::vector<BenchGraph>> benchGraphs(const std::filesystem::path& data) {
    std::vector<BenchGraph> out;
    const std::filesystem::path folder = data / "cases" / "ort";
    for (const char* name : {"bert1", "gpt2", "llama", "resnetish", "qdq", "misc"}) {
        const Result<std::shared_ptr<const Graph>> reference = loadGraph(folder / (std::string(name) + ".ref.onnx"));
        if (!reference) {
            return tl::unexpected(reference.error());
        }
        BenchGraph graph{name, *reference, {{"as it is", *reference}, {"renamed", renamed(**reference)}}};
        std::vector<std::filesystem::path> files;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            const std::string file = entry.path().filename().string();
            if (file.starts_with(std::string(name) + ".") && file.ends_with(".onnx") && file.find(".ref.") == std::string::npos) {
                files.push_back(entry.path());
            }
        }
        std::sort(files.begin(), files.end());
        for (const std::filesystem::path& file : files) {
            const Result<std::shared_ptr<const Graph>> form = loadGraph(file);
            if (!form) {
                return tl::unexpected(form.error());
            }
            graph.forms.push_back({file.stem().extension().string().substr(1), *form});
        }
        out.push_back(std::move(graph));
    }
    const Result<std::shared_ptr<const Graph>> cache = readJsonGraph(Cache, {});
    if (!cache) {
        return tl::unexpected(cache.error());
    }
    const std::vector<std::pair<const char*, std::shared_ptr<const Graph>>> ours{
        {"conv", test::parseGraph(ConvNet)}, {"encoder", test::parseGraph(Encoder)}, {"integers", test::parseGraph(Integers)}, {"cache", *cache}};
    for (const auto& [name, graph] : ours) {
        const auto shared = graph == *cache ? graph : std::make_shared<const Graph>(filled(*graph));
        const Result<std::shared_ptr<const Graph>> typed = inferTypes(*shared);
        if (!typed) {
            return tl::unexpected(typed.error());
        }
        out.push_back({name, shared, {{"as it is", shared}, {"renamed", renamed(*shared)}, {"rewritten", rewritten(**typed)}}});
    }
    return out;
}

} // namespace lemmascope::mutants
