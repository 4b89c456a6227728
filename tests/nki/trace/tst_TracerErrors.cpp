// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

/// What is no kernel ends as a verdict: the rule by its name, at the line that carries "# here".
class tst_TracerErrors : public QObject
{
    Q_OBJECT

private slots:
    void aRuleIsNamedWithItsLine_data();
    void aRuleIsNamedWithItsLine();
    void whatTheSimulatorDoesNotKnowIsUnsupported_data();
    void whatTheSimulatorDoesNotKnowIsUnsupported();
    void limitsEndAsVerdicts_data();
    void limitsEndAsVerdicts();
    void workInOneGoCountsAsSteps_data();
    void workInOneGoCountsAsSteps();
    void hostileTextsEndAsVerdicts_data();
    void hostileTextsEndAsVerdicts();
    void theModuleItselfMayBeWrong_data();
    void theModuleItselfMayBeWrong();
};

void tst_TracerErrors::aRuleIsNamedWithItsLine_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("rule");
    const auto row = [](const char *name, const char *statements, const char *rule) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(rule);
    };
    row("an index grid of one axis", "t = nl.load(v[nl.arange(128)])  # here",
        "err_1d_arange_not_supported");
    row("a bias that is a number",
        "x = nl.load(b)\nt = nisa.activation(nl.exp, x, bias=1.0)  # here",
        "err_activation_bias_invalid_type");
    row("a bias of integers",
        "x = nl.load(b)\nc = nl.zeros((128, 1), dtype=nl.int32)\n"
        "t = nisa.activation(nl.exp, x, bias=c)  # here",
        "err_activation_bias_invalid_type");
    row("a scale of another type",
        "x = nl.load(b)\nc = nl.zeros((128, 1), dtype=nl.bfloat16)\n"
        "t = nisa.activation(nl.exp, x, scale=c)  # here",
        "err_activation_scale_invalid_type");
    row("a scale of two columns",
        "x = nl.load(b)\nt = nisa.activation(nl.exp, x, scale=x[:, 0:2])  # here",
        "err_activation_scale_scalar_or_vector");
    row("the truth of a tile", "x = nl.load(b)\nif x:  # here\n    pass",
        "err_ambiguous_tensor_truth_value");
    row("a tile under and", "x = nl.load(b)\ny = x and x  # here",
        "err_ambiguous_tensor_truth_value");
    row("a condition on one loaded value", "x = nl.load(v[0:1])\nif x > 0:  # here\n    pass",
        "err_dynamic_control_flow_not_supported");
    row("an asserted shape that differs", "x = nl.load(b).assert_shape((128, 4))  # here",
        "err_annotation_shape_mismatch");
    row("assignment to an index", "i = nl.arange(4)[:, None]\ni[0] = 3  # here",
        "err_cannot_assign_to_index");
    row("a store into an argument", "x = nl.load(b)\nnl.store(a[0:128, :], value=x)  # here",
        "err_cannot_update_immutable_parameter");
    row("a condition on an index", "i = nl.arange(4)[:, None]\nif i < 2:  # here\n    pass",
        "err_control_flow_condition_depending_on_arange");
    row("the truth of an index", "i = nl.arange(4)[:, None]\nwhile i:  # here\n    pass",
        "err_control_flow_condition_depending_on_arange");
    row("a transpose of three axes",
        "x = nl.load(b).reshape((128, 4, 128))\nt = nl.transpose(x)  # here",
        "err_exceed_max_supported_dimension");
    row("a tensor with blocks as an operand",
        "t = nl.ndarray((2, nl.par_dim(128), 8), dtype=nl.float32)\ns = nl.exp(t)  # here",
        "err_failed_to_infer_tile_from_local_tensor");
    row("a grid over a block dimension",
        "t = nl.ndarray((2, nl.par_dim(128), 8), dtype=nl.float32)\n"
        "i, j, k = nl.mgrid[0:2, 0:128, 0:8]\ns = nl.exp(t[i, j, k])  # here",
        "err_failed_to_infer_tile_from_local_tensor");
    row("an HBM tensor with an initial value",
        "t = nl.zeros((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)  # here",
        "err_hbm_tensor_with_init_value_not_supported");
    row("the partition dimension by the second axis of a grid",
        "x = nl.load(b)\ni, j = nl.mgrid[0:4, 0:8]\nt = nl.exp(x[j, i])  # here",
        "err_leading_dimension_of_tensor_must_be_partition");
    row("an axis in front of the partitions", "x = nl.load(b)\nt = nl.expand_dims(x, 0)  # here",
        "err_leading_dimension_of_tensor_must_be_partition");
    row("None in front of the partitions", "x = nl.load(b)\nt = nl.exp(x[None, :, :])  # here",
        "err_leading_dimension_of_tensor_must_be_partition");
    row("a tile of a loop after the loop",
        "for i in nl.affine_range(2):\n    t = nl.load(b)\ns = nl.exp(t)  # here",
        "err_local_variable_used_out_of_scope");
    row("a tile of a condition on a loop index after it",
        "for i in nl.affine_range(2):\n    if i == 0:\n        t = nl.load(b)\n"
        "    s = nl.exp(t)  # here",
        "err_local_variable_used_out_of_scope");
    row("129 partitions in SBUF", "t = nl.ndarray((129, 8), dtype=nl.float32)  # here",
        "err_num_partition_exceed_arch_limit");
    row("a load of 256 rows", "t = nl.load(a)  # here", "err_num_partition_exceed_arch_limit");
    row("operands of different partitions",
        "x = nl.load(b)\nt = nisa.tensor_tensor(x, x[0:64, :], np.add)  # here",
        "err_num_partition_mismatch");
    row("a product over different partitions",
        "x = nl.load(b)\nt = nisa.nc_matmul(x[0:64, 0:128], x)  # here",
        "err_num_partition_mismatch");
    row("shared HBM inside a loop",
        "for i in nl.affine_range(2):\n"
        "    t = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.shared_hbm)  # here",
        "err_shared_hbm_must_in_kernel_level");
    row("a stationary operand of 256 columns",
        "x = nl.load(b)\nt = nisa.nc_matmul(x[:, 0:256], x)  # here",
        "err_size_of_dimension_exceed_arch_limit");
    row("a moving operand of 1024 columns",
        "x = nl.load(b)\nw = nl.ndarray((128, 1024), dtype=nl.float32)\n"
        "t = nisa.nc_matmul(x[:, 0:128], w)  # here",
        "err_size_of_dimension_exceed_arch_limit");
    row("a transpose of 128 x 512", "x = nl.load(b)\nt = nisa.nc_transpose(x)  # here",
        "err_size_of_dimension_exceed_arch_limit");
    row("a value larger than its destination",
        "x = nl.load(b)\nt = nl.ndarray((128, 8), dtype=nl.float32)\nt[...] = x  # here",
        "err_store_dst_shape_smaller_than_other_shape");
    row("a store of too many rows", "x = nl.load(b)\nnl.store(out[0:64, :], value=x)  # here",
        "err_store_dst_shape_smaller_than_other_shape");
    row("a slice beyond the end", "t = nl.load(b[0:128, 0:513])  # here",
        "err_tensor_access_out_of_bound");
    row("an integer beyond the end", "t = nl.load(a[256, 0:8])  # here",
        "err_tensor_access_out_of_bound");
    row("a grid beyond the end",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i + 129, j])  # here",
        "err_tensor_access_out_of_bound");
    row("a grid before the start",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i - 1, j])  # here",
        "err_tensor_access_out_of_bound");
    row("a mask that excludes too little",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i + 192, j], mask=(i < 65))  # here",
        "err_tensor_access_out_of_bound");
    row("a mask that excludes only one end",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i + 192, j + 1], mask=(i < 64))  # here",
        "err_tensor_access_out_of_bound");
    row("the last pass of a loop",
        "for i in nl.affine_range(3):\n    t = nl.load(a[i * 128:(i + 1) * 128, :])  # here",
        "err_tensor_access_out_of_bound");
    row("a mask over other axes than the operands have",
        "x = nl.load(b)\ni = nl.arange(64)[:, None]\nt = nl.exp(x, mask=i < 32)  # here",
        "err_mask_shape_mismatch");
    row("masks joined with and",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=i < 64 and j < 3)  # here",
        "err_unsupported_expression_in_mask");
    row("masks joined with |",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i < 64) | (j < 3))  # here",
        "err_unsupported_expression_in_mask");
    row("a mask of loaded values", "x = nl.load(b)\nt = nl.exp(x, mask=x > 0)  # here",
        "err_unsupported_expression_in_mask");
    row("an index that is no sum", "i = nl.arange(8)[:, None]\nj = i // 2  # here",
        "err_unsupported_expression_in_index");
    row("a load from SBUF", "x = nl.load(b)\nt = nl.load(x)  # here", "err_unsupported_memory");
    row("arithmetic on HBM", "t = nl.exp(b)  # here", "err_unsupported_memory");
    row("a product with an operand in PSUM",
        "x = nl.load(b)\np = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)\n"
        "t = nisa.nc_matmul(p, x)  # here",
        "err_unsupported_memory");
    row("a tile assigned to HBM", "x = nl.load(b)\nout[0:128, :] = x  # here",
        "err_unsupported_memory");
    row("HBM assigned to a tile", "x = nl.load(b)\nx[...] = b  # here", "err_unsupported_memory");
    row("slices mixed with index vectors",
        "i = nl.arange(128)[:, None]\nt = nl.load(a[i, 0:4])  # here",
        "err_unsupported_mixing_basic_advanced_tensor_indexing");
    row("a tile that starts at partition 16", "x = nl.load(b)\nt = nl.exp(x[16:48, :])  # here",
        "err_partition_start");
    row("a sum over the partitions", "x = nl.load(b)\nt = nl.sum(x, axis=0)  # here",
        "err_reduce_axis");
    row("a list indexed by an index", "t = [1, 2]\nx = t[nl.arange(2)[:, None]]  # here",
        "type_error");
    row("a loop index expression as a size",
        "t = nl.ndarray((nl.arange(4)[:, None], 4), dtype=nl.float32)  # here", "type_error");
    row("shapes that do not fit", "x = nl.load(b)\nt = nl.add(x, x[:, 0:7])  # here",
        "err_shape_mismatch");
    row("a false assertion", "assert a.shape[0] == 128, 'rows'  # here", "assertion_failed");
    row("raise", "raise ValueError('no')  # here", "exception_raised");
    row("an unknown name", "x = nowhere  # here", "name_error");
    row("division by zero", "x = 1 // 0  # here", "zero_division");
    row("a keyword that does not exist", "x = nl.load(b, colour=3)  # here", "type_error");
    row("a missing argument", "x = nl.add(1)  # here", "type_error");
    row("unpacking into too few names", "x, y = 1, 2, 3  # here", "value_error");
    row("an index outside a list", "x = [1][4]  # here", "index_error");
    row("a key that is not there", "x = {}['k']  # here", "key_error");
    row("an operator without meaning", "x = [1] - [2]  # here", "type_error");
    row("an empty arange", "i = nl.arange(0)  # here", "value_error");
    row("an empty mgrid", "i = nl.mgrid[0:0, 0:4]  # here", "value_error");
    row("a range with step zero", "for i in range(0, 4, 0):  # here\n    pass", "value_error");
    row("a call of what is no function", "x = 3\nx()  # here", "type_error");
    row("expand_dims without an axis", "x = nl.load(b)\ny = x.expand_dims()  # here", "type_error");
    row("a start of enumerate that is no number", "x = enumerate([1], 'a')  # here", "type_error");
    row("infinity as an integer", "x = int(float('inf'))  # here", "value_error");
    row("an integer that is too large for ceil", "x = math.ceil(1e300)  # here", "value_error");
    row("two ellipses in one index", "x = nl.load(a[..., ...])  # here", "index_error");
    row("an annotated shape that differs",
        "import neuronxcc.nki.typing as nt\nx: nt.tensor[128, 4] = nl.load(b)  # here",
        "err_annotation_shape_mismatch");
    row("an annotated shape of too few axes",
        "from neuronxcc.nki.typing import tensor\nx: tensor[128] = nl.load(b)  # here",
        "err_annotation_shape_mismatch");
    row("a launch grid in a launch grid",
        "def f(x):\n    return x\ndef g(x):\n    return f[2](x)  # here\ng[2](a)",
        "err_nested_kernel_with_spmd_grid");
    row("a loop that is entered under a computed condition",
        "x = nl.load(v[0:1])\nwhile x < 3:  # here\n    x = x + 1",
        "err_while_loop_requires_unconditional_entry");
    row("indirect access behind an index vector",
        "x = nl.load(b)\ny = nl.load(a[nl.arange(4)[:, None], x])  # here",
        "err_indirect_indices_free_dim");
    row("indirect access behind a slice", "x = nl.load(b)\ny = nl.load(a[0:4, x])  # here",
        "err_indirect_indices_free_dim");
    row("a PE tile that is too small for its operand",
        "x = nl.load(b)\nt = nisa.nc_matmul(x[:, 0:128], x, tile_position=(0, 0), "
        "tile_size=(64, 64))  # here",
        "value_error");
    row("a PE tile without a position",
        "x = nl.load(b)\nt = nisa.nc_matmul(x[:, 0:128], x, tile_size=(128, 128))  # here",
        "value_error");
    row("a shuffle of 31 lanes", "x = nl.load(b)\nnisa.nc_stream_shuffle(x, x, [0] * 31)  # here",
        "value_error");
    row("a shuffle from the next quadrant",
        "x = nl.load(b)\nnisa.nc_stream_shuffle(x, x, [32] * 32)  # here", "value_error");
    row("a predicate of floats",
        "x = nl.load(b)\nnisa.tensor_copy_predicated(src=1.0, dst=x, predicate=x)  # here",
        "type_error");
    row("a choice of other partitions",
        "x = nl.load(b)\np = nl.zeros((128, 512), dtype=nl.uint8)\n"
        "nisa.tensor_copy_predicated(src=x[0:64, :], dst=x, predicate=p)  # here",
        "err_num_partition_mismatch");
}

void tst_TracerErrors::aRuleIsNamedWithItsLine()
{
    QFETCH(QString, statements);
    QFETCH(QString, rule);
    const std::string source = kernelAround(statements.toStdString());
    const Traced traced = traceText(source);
    QVERIFY(lineOfRemark(source) > 0);
    const std::string expected =
        fmt::format("not_compiling {} line {}", rule.toStdString(), lineOfRemark(source));
    QVERIFY2(traced.failure() == expected, (traced.failure() + ": " + traced.words()).c_str());
    QVERIFY(!traced.outcome.error().reason.message.empty());
}

void tst_TracerErrors::whatTheSimulatorDoesNotKnowIsUnsupported_data()
{
    QTest::addColumn<QString>("statements");
    const auto row = [](const char *name, const char *statements) {
        QTest::newRow(name) << QString::fromUtf8(statements);
    };
    row("an unknown function of NKI", "x = nl.load(b)\ny = nl.new_function(x)  # here");
    row("an unknown instruction", "nisa.frobnicate(b)  # here");
    row("indirect access", "x = nl.load(b)\ny = nl.load(a[x, 0:4])  # here");
    row("indirect access beside an index vector",
        "x = nl.load(b)\ny = nl.load(a[x, nl.arange(4)[None, :]])  # here");
    row("a launch grid that is no number", "def f(x):\n    return x\nf[nl.float32](a)  # here");
    row("a class made from a function", "class C(nl.load):  # here\n    pass");
    row("a with statement", "with nl.load(b):  # here\n    pass");
    row("direct allocation", "m = nki.compiler.sbuf.mod_alloc(base_addr=0)  # here");
    row("host code that the kernel uses", "from torch import nn\nx = nn.relu(b)  # here");
    row("host code that the kernel calls", "from torch import relu\nx = relu(b)  # here");
    row("counting in an object", "class C:\n    n: int = 0\nc = C()\n"
                                 "for i in nl.affine_range(2):\n    c.n += 1  # here");
    row("counting from pass to pass of an outer loop",
        "for i in nl.affine_range(2):\n    n = 0\n    for j in nl.affine_range(2):\n"
        "        n += 1  # here");
    row("try", "try:  # here\n    pass\nexcept ValueError:\n    pass");
    row("integers beyond 64 bits", "x = 2 ** 64  # here");
    row("the most negative integer divided by minus one",
        "x = -9223372036854775807 - 1\ny = x // -1  # here");
    row("a name of the function around", "n = 1\ndef f():\n    nonlocal n  # here\n    n = 2\nf()");
    row("a name of the module", "global n  # here\nn = 2");
    row("counting in a loop that is traced once",
        "n = 0\nfor i in nl.affine_range(2):\n    n += 1  # here");
    row("a part of an index vector", "i = nl.arange(8)\nj = i[::2, None]  # here");
    row("an index grid of six axes", "i = nl.mgrid[0:1, 0:1, 0:1, 0:1, 0:1, 0:1]  # here");
    row("a number that grows from pass to pass",
        "m = 0\nfor i in nl.affine_range(2):\n    m = m + 1  # here");
    row("an offset that grows from pass to pass",
        "m = 0\nfor i in nl.affine_range(2):\n    t = nl.load(a[m:m + 128, :])  # here\n"
        "    m = m + 128");
    row("a number from an earlier pass that a function reads",
        "m = 0\ndef f():\n    return m  # here\n"
        "for i in nl.affine_range(2):\n    x = f()\n    m = 3");
    row("the index of the last pass after its loop",
        "for i in nl.sequential_range(2):\n    n = i\nm = n  # here");
    row("a list that grows from pass to pass",
        "x = []\nfor i in nl.affine_range(2):\n    x.append(i)  # here");
    row("a number in a list that changes from pass to pass",
        "x = [0]\nfor i in nl.affine_range(2):\n    x[0] = x[0] + 1  # here");
    row("a number in a dict that changes from pass to pass",
        "x = {'n': 0}\nfor i in nl.affine_range(2):\n    x['n'] = x['n'] + 1  # here");
    row("a number in an object that changes from pass to pass",
        "class C:\n    n: int = 0\nc = C()\n"
        "for i in nl.affine_range(2):\n    c.n = c.n + 1  # here");
    row("a return in the second pass only",
        "for i in nl.affine_range(2):  # here\n    if i == 1:\n        return out");
    row("a mask of very many conditions",
        "m = nl.arange(4)[:, None] < 3\nfor i in nl.static_range(9):\n    m = m & m  # here");
    row("a loop whose condition is computed", "x = nl.load(v[0:1])\nwhile x:  # here\n    pass");
    row("an asynchronous comprehension", "x = [y async for y in (1, 2)]  # here");
    row("a DMA copy that adds", "nisa.dma_copy(dst=out, src=a, dst_rmw_op=np.add)  # here");
}

void tst_TracerErrors::whatTheSimulatorDoesNotKnowIsUnsupported()
{
    QFETCH(QString, statements);
    const std::string source = kernelAround(statements.toStdString());
    const Traced traced = traceText(source);
    const std::string expected =
        fmt::format("unsupported unsupported line {}", lineOfRemark(source));
    QVERIFY2(traced.failure() == expected, (traced.failure() + ": " + traced.words()).c_str());
}

void tst_TracerErrors::limitsEndAsVerdicts_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("failure");
    const auto row = [](const char *name, const char *statements, const char *failure) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(failure);
    };
    row("too many instructions",
        "x = nl.load(b)\nfor i in nl.affine_range(2000):\n    y = nl.exp(x)  # here",
        "run_failed too_many_instructions");
    row("a loop that never ends", "while True:  # here\n    pass", "run_failed too_long");
    row("a huge range", "for i in nl.affine_range(10 ** 15):  # here\n    x = 1",
        "run_failed too_long");
    row("endless recursion", "def f(n):\n    return f(n + 1)  # here\nf(0)", "run_failed too_deep");
    row("too many tiles", "t = nl.ndarray((100000, nl.par_dim(128), 4), dtype=nl.float32)  # here",
        "run_failed too_many_tiles");
}

void tst_TracerErrors::limitsEndAsVerdicts()
{
    QFETCH(QString, statements);
    QFETCH(QString, failure);
    nki::TraceLimits limits;
    limits.instructions = 1000;
    limits.steps = 100'000;
    limits.storages = 5000;
    const Traced traced = traceStatements(statements.toStdString(), limits);
    QVERIFY2(traced.failure().starts_with(failure.toStdString()), traced.failure().c_str());
    QVERIFY(traced.outcome.error().reason.place.line > 0);
}

void tst_TracerErrors::workInOneGoCountsAsSteps_data()
{
    QTest::addColumn<QString>("statements");
    const auto row = [](const char *name, const char *statements) {
        QTest::newRow(name) << QString::fromUtf8(statements);
    };
    row("looking for what is not in a long list", "x = [0] * 100000\nwhile True:\n    y = 1 in x");
    row("looking for a long text in a longer one",
        "x = 'a'\nfor i in nl.static_range(17):\n    x = x + x\ny = x + 'b'\nx = x + x\n"
        "while True:\n    z = y in x");
    row("taking the first of a long list", "x = [0] * 100000\nwhile True:\n    x.pop(0)");
    row("copying a long list", "x = [0] * 100000\nwhile True:\n    y = x.copy()");
    row("adding lists", "x = [0] * 100000\nwhile True:\n    y = x + x");
    row("keeping many long lists", "x = []\nwhile True:\n    x.append([0] * 100000)");
    row("lists of lists in one expression", "x = [[0] * 100000 for i in range(100000)]");
    row("four loops in one expression",
        "x = [0 for i in range(1000) for j in range(1000) for k in range(1000)]");
    row("a long literal", "while True:\n    x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]");
    row("letters of a long text",
        "s = 'a'\nfor i in nl.static_range(17):\n    s = s + s\nwhile True:\n    x = list(s)");
    row("a dict with many keys", "d = {}\nfor i in nl.static_range(1000000):\n    d[i] = i");
    row("a key that is not in a large dict",
        "d = {i: i for i in range(500)}\nwhile True:\n    x = d.get(-1)");
    row("a dict as arguments", "def f(**x):\n    return 1\nd = {f'k{i}': i for i in range(300)}\n"
                               "while True:\n    f(**d)");
    row("a list as arguments",
        "def f(*x):\n    return 1\ny = [1] * 100000\nwhile True:\n    f(*y)");
    row("calling for ever", "f = lambda: 0\nwhile True:\n    f()");
    row("functions made for ever", "x = []\nwhile True:\n    x.append(lambda: 0)");
    row("classes made for ever", "while True:\n    class A:\n        b = 1");
    row("numpy constants made for ever", "x = []\nwhile True:\n    x.append(np.zeros((512, 512)))");
    row("constants in HBM made for ever",
        "c = np.zeros((512, 512))\nwhile True:\n    nl.shared_constant(c)");
    row("sorting", "x = [i for i in range(20000)]\nwhile True:\n    y = sorted(x)");
    row("summing", "x = [1] * 100000\nwhile True:\n    y = sum(x)");
    row("the largest of many", "x = [1] * 100000\nwhile True:\n    y = max(x)");
    row("numbering", "x = [1] * 100000\nwhile True:\n    y = enumerate(x)");
    row("pairing", "x = [1] * 100000\nwhile True:\n    y = zip(x, x)");
    row("a range as a list", "while True:\n    y = list(range(100000))");
    row("formatting a long text",
        "s = 'a'\nfor i in nl.static_range(17):\n    s = s + s\nwhile True:\n    y = f'{s}'");
    row("the text of a long list", "x = [1.5] * 100000\nwhile True:\n    y = str(x)");
    row("comparing long texts",
        "s = 'a'\nfor i in nl.static_range(17):\n    s = s + s\nt = s + ''\n"
        "while True:\n    y = s == t");
    row("part of a long list", "x = [0] * 100000\nwhile True:\n    y = x[1:]");
    row("tiles declared for ever", "while True:\n    nl.ndarray((128, 4), dtype=nl.float32)");
}

void tst_TracerErrors::workInOneGoCountsAsSteps()
{
    QFETCH(QString, statements);
    nki::TraceLimits limits;
    limits.steps = 400'000;
    const Traced traced = traceStatements(statements.toStdString(), limits);
    QVERIFY2(traced.failure().starts_with("run_failed too_long line "), traced.failure().c_str());
}

void tst_TracerErrors::hostileTextsEndAsVerdicts_data()
{
    QTest::addColumn<QString>("statements");
    const auto row = [](const char *name, const char *statements) {
        QTest::newRow(name) << QString::fromUtf8(statements);
    };
    row("the classes of Python are out of reach", "x = ().__class__.__bases__[0].__subclasses__()");
    row("a class by way of a string", "x = ''.__class__.__mro__");
    row("a method that does not exist", "().__class__()");
    row("globals of a function", "def f():\n    pass\nx = f.__globals__");
    row("importing os", "import os\nos.system('true')");
    row("importing from os", "from os import system\nsystem('true')");
    row("importing subprocess", "import subprocess as s\ns.run(['true'])");
    row("__import__", "__import__('os')");
    row("eval", "eval('1')");
    row("exec", "exec('1')");
    row("open", "open('/etc/passwd')");
    row("numpy reading a file", "x = np.load('/etc/passwd')");
    row("a tile of a thousand terabytes", "t = nl.ndarray((128, 2 ** 62), dtype=nl.float32)");
    row("a shape whose product overflows",
        "t = nl.ndarray((2 ** 40, 2 ** 40), dtype=nl.float32, buffer=nl.shared_hbm)");
    row("a numpy constant of a million million", "t = np.zeros((2 ** 20, 2 ** 20))");
    row("a negative shape", "t = nl.ndarray((-1, 4), dtype=nl.float32)");
    row("an index that overflows", "i, j = nl.mgrid[0:128, 0:4]\nt = nl.load(a[i * 2 ** 62, j])");
    row("an index that wraps round to where it began",
        "i, j = nl.mgrid[0:128, 0:4]\nt = nl.load(a[i * 2 ** 32 * 2 ** 32, j])");
    row("an index that wraps by adding",
        "i, j = nl.mgrid[0:128, 0:4]\nk = i + 9223372036854775807\nt = nl.load(a[k + "
        "9223372036854775807 + 2, j])");
    row("an endless arange", "i = nl.arange(2 ** 62)[:, None]\nt = nl.load(a[i * 8, i])");
    row("repeating a list beyond all bounds", "x = [0, 0] * 2 ** 62");
    row("repeating an empty list beyond all time", "x = [] * 2 ** 62\ny = 1 // 0");
    row("a list that doubles for ever", "x = [0]\nwhile True:\n    x = x + x");
    row("a text that doubles for ever", "x = 'ab'\nwhile True:\n    x = x + x");
    row("a formatted text that doubles for ever", "x = 'ab'\nwhile True:\n    x = f'{x}{x}'");
    row("a list that is extended by itself", "x = [0]\nwhile True:\n    x.extend(x)");
    row("lists in lists that print exponentially long",
        "x = [0]\nfor i in nl.static_range(60):\n    x = [x, x]\nprint(x)\ny = 1 // 0");
    row("lists and dicts within themselves that must be freed",
        "x = [0, 1]\nx[0] = x\nx.extend([x])\nd = {}\nd['me'] = (d, x)\ny = 1 // 0");
    row("a list within itself that is printed", "x = []\nx.append(x)\nprint(x)\ny = 1 // 0");
    row("a list within itself that is compared",
        "x = []\nx.append(x)\ny = []\ny.append(y)\nz = x == y");
    row("a list nested a million deep",
        "x = []\nfor i in nl.static_range(1000000):\n    x = [x]\ny = 1 // 0");
    row("a dict nested a million deep",
        "x = {}\nfor i in nl.static_range(1000000):\n    x = {'a': x}\ny = 1 // 0");
    row("functions that are each other's defaults",
        "f = None\nfor i in nl.static_range(300000):\n    def f(x=f):\n        return x\n"
        "y = 1 // 0");
    row("classes that keep objects of each other",
        "x = None\nfor i in nl.static_range(100000):\n    class A:\n        before = x\n"
        "    x = A()\ny = 1 // 0");
    row("a class that makes itself",
        "class A:\n    def __init__(self):\n        self.a = A()\nx = A()\ny = 1 // 0");
    row("a tensor of more axes than there are",
        "x = a[None, None, None, None, None, None, None, None, None, None, None, None, :, :]\n"
        "y = 1 // 0");
    row("a million Nones", "t = nl.load(b)\nx = nl.arange(4)[None, None, None, None, None, :]");
    row("the largest integer negated", "x = -9223372036854775807 - 1\ny = -x\nz = abs(x)");
    row("a shift by a negative number", "x = 1 << -1");
    row("a reshape that overflows", "t = nl.load(b)\nx = t.reshape((2 ** 32, 2 ** 32, 65536))");
    row("a step that overflows", "x = [1, 2, 3][0:3:9223372036854775807]\ny = 1 // 0");
    row("an assertion with a long text",
        "s = 'a'\nfor i in nl.static_range(19):\n    s = s + s\nassert False, s");
    row("keys of many kinds",
        "d = {1: 2, True: 3, 1.0: 4, 'a': 5, (1, 'a'): 6, None: 7, nl.add: 8, nl.float32: 9}\n"
        "assert d[1] == 4 and d[(1, 'a')] == 6 and d[None] == 7 and d[nl.add] == 8\ny = 1 // 0");
    row("a broadcast that overflows",
        "t = nl.load(v)\nx = t.broadcast_to((128, 2 ** 62))\ny = nl.exp(x)\nz = nl.exp(y)\n"
        "w = 1 // 0");
}

void tst_TracerErrors::hostileTextsEndAsVerdicts()
{
    QFETCH(QString, statements);
    nki::TraceLimits limits;
    limits.steps = 10'000'000;
    const Traced traced = traceStatements(statements.toStdString(), limits);
    QVERIFY(traced.failed());
    QVERIFY2(traced.outcome.error().status != VerdictStatus::Correct, traced.failure().c_str());
    QVERIFY2(traced.outcome.error().reason.rule != "syntax", traced.words().c_str());
    QVERIFY2(traced.outcome.error().reason.place.line > 8, traced.failure().c_str());
    QVERIFY(traced.words().size() < 4000);
}

void tst_TracerErrors::theModuleItselfMayBeWrong_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("failure");
    const auto row = [](const char *name, const char *source, const char *failure) {
        QTest::newRow(name) << QString::fromUtf8(source) << QString::fromUtf8(failure);
    };
    row("an empty file", "", "not_compiling no_kernel");
    row("a file without a function", "x = 1\n", "not_compiling no_kernel");
    row("a kernel with too few parameters", "def kernel(a):\n    return a\n",
        "not_compiling type_error line 1");
    row("a kernel that returns nothing", "def kernel(a, b, v):\n    pass\n",
        "not_compiling err_tensor_output_not_written_to line 1");
    row("a kernel that returns a number", "def kernel(a, b, v):\n    return 3\n",
        "not_compiling err_unsupported_memory line 1");
    row("an error while the module is read", "x = 1 // 0\ndef kernel(a, b, v):\n    return a\n",
        "not_compiling zero_division line 1");
    row("an instruction outside of the kernel",
        "import neuronxcc.nki.language as nl\nt = nl.ndarray((128, 4), dtype=nl.float32)\n"
        "def kernel(a, b, v):\n    return a\n",
        "not_compiling err_nki_api_outside_of_nki_kernel line 2");
    row("a mutable parameter that is not returned",
        "import neuronxcc.nki.language as nl\nimport neuronxcc.nki.typing as nt\n"
        "def kernel(a: nt.mutable_tensor, b, v):\n"
        "    out = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)\n"
        "    return out\n",
        "not_compiling err_mutable_parameter_not_returned");
    row("a store into a mutable parameter",
        "import neuronxcc.nki.language as nl\nimport neuronxcc.nki.typing as nt\n"
        "def kernel(a, b: nt.mutable_tensor, v):\n"
        "    nl.store(b, value=nl.load(b))\n    return b\n",
        "unsupported unsupported line 4");
    row("a kernel with one parameter too many", "def kernel(a, b, v, w):\n    return a\n",
        "not_compiling type_error line 1");
}

void tst_TracerErrors::theModuleItselfMayBeWrong()
{
    QFETCH(QString, source);
    QFETCH(QString, failure);
    const Traced traced = traceText(source.toStdString());
    QVERIFY2(traced.failure().starts_with(failure.toStdString()), traced.failure().c_str());
}

ACCELOPT_TEST(tst_TracerErrors)
#include "tst_TracerErrors.moc"
