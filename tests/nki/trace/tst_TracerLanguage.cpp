// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/Dependences.h"
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

/// The Python that kernels are written in: what print() shows is what CPython would show.
class tst_TracerLanguage : public QObject
{
    Q_OBJECT

private slots:
    void pythonMeansWhatItMeansInPython_data();
    void pythonMeansWhatItMeansInPython();
    void theEntryPointIsFound_data();
    void theEntryPointIsFound();
    void tensorsTellTheirShape();
    void hostCodeOfTheFileIsLetAlone();
    void programsOfAGridWriteOneResult();
    void aReturnInALoopEndsTheTextAndNotTheLoop();
    void aSumOfProductsNeedsNoZerosBefore();
    void programsThatWriteTheSameElementsAreFound();
};

void tst_TracerLanguage::pythonMeansWhatItMeansInPython_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("printed");
    const auto row = [](const char *name, const char *statements, const char *printed) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(printed);
    };
    row("floor division and remainder round towards minus infinity",
        "print(7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3)", "3 -4 1 2 -2");
    row("true division gives a float", "print(7 / 2, 4 / 2)", "3.5 2.0");
    row("powers of integers stay integers", "print(2 ** 10, 2 ** -1, 2.0 ** 3)", "1024 0.5 8.0");
    row("one to any power is one at once",
        "print(1 ** 1000000000000, (-1) ** 1000000000001, "
        "0 ** 1000000000000)",
        "1 -1 0");
    row("shifts and bits of integers", "print(1 << 5, 40 >> 2, 6 & 3, 6 | 3, 6 ^ 3, ~5)",
        "32 10 2 7 5 -6");
    row("bits of booleans are booleans", "print(True & False, True | False, True ^ True)",
        "False True False");
    row("comparisons chain", "print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 2 != 3)",
        "True False True True");
    row("and and or give one of their operands", "print(0 or 5, 3 and 4, 0 and 4, None or 'x')",
        "5 4 0 x");
    row("not turns truth around", "print(not 0, not [1], not None, not '')",
        "True False True True");
    row("what is not needed is not evaluated", "print(True or undefined, False and undefined)",
        "True False");
    row("a conditional expression evaluates one side", "print(1 if True else undefined)", "1");
    row("is compares with None", "x = None\nprint(x is None, x is not None, 1 is None)",
        "True False False");
    row("in looks into lists, tuples, strings and dicts",
        "print(2 in [1, 2], 3 not in (1, 2), 'b' in 'abc', 'k' in {'k': 1}, 1 in {})",
        "True True True True False");
    row("keys are the same where they are equal",
        "d = {1: 'a', 'k': 'c'}\nd[True] = 'b'\nprint(len(d), d[1.0], d['k'], d.get('n', 0))",
        "2 b c 0");
    row("a pass binds its names anew",
        "for i in nl.affine_range(2):\n    n = 2 * i\n    m = n + 1\n    print(n, m)", "0 1\n2 3");
    row("what a loop binds to a constant is known behind it",
        "for i in nl.affine_range(2):\n    n = 5\nprint(n)", "5");
    row("a loop of one pass may count",
        "m = 0\nfor i in nl.affine_range(1):\n    m = m + 1\nprint(m)", "1");
    row("an unrolled loop may count",
        "m = 0\nx = []\nfor i in nl.static_range(3):\n    m = m + 1\n    x.append(m)\nprint(m, x)",
        "3 [1, 2, 3]");
    row("a list that a pass makes may grow in it",
        "for i in nl.affine_range(2):\n    x = [7]\n    x.append(i)\n    print(x)",
        "[7, 0]\n[7, 1]");
    row("a function of numbers may be called in a loop",
        "def f(n):\n    n = n + 1\n    return n\nfor i in nl.affine_range(2):\n    print(f(3))",
        "4\n4");
    row("the device prints as Python does", "x = nl.load(b)\nnl.device_print('x:', x)",
        "x: tile(128, 512)");
    row("a kernel may be made by a call",
        "def f(n):\n    return n + 1\ng = nki.jit(f, mode='simulation')\nprint(g(2))", "3");
    row("tuples are unpacked", "x, (y, z) = 1, (2, 3)\nprint(x, y, z)", "1 2 3");
    row("a data class has its fields as arguments",
        "class C:\n    size: int = 4\n    name: str = 'x'\n"
        "c = C(name='y')\nd = C(8)\nprint(c.size, c.name, d.size, d.name)",
        "4 y 8 x");
    row("a class has methods, properties and constants",
        "class C:\n    K = 3\n    def __init__(self, n):\n        self.n = n * self.K\n"
        "    def twice(self, more=0):\n        return 2 * self.n + more\n"
        "    @property\n    def half(self):\n        return self.n // 2\n"
        "    @staticmethod\n    def one():\n        return 1\n"
        "    @classmethod\n    def two(cls):\n        return cls(2)\n"
        "c = C(5)\nprint(c.n, c.twice(), c.twice(more=1), c.half, c.one(), C.two().n, C.K)",
        "15 30 31 7 1 6 3");
    row("a class made from another has what that one has",
        "class A:\n    n: int = 1\n    def get(self):\n        return self.n\n"
        "class B(A):\n    m: int = 2\nb = B(5)\n"
        "print(b.get(), b.m, isinstance(b, B), isinstance(1, A))",
        "5 2 True False");
    row("a member of an enumeration is itself",
        "class Kind:\n    pass\nfrom enum import Enum\nclass Norm(Enum):\n    NONE = 0\n    RMS = "
        "1\n"
        "n = Norm.RMS\nprint(n == Norm.RMS, n == Norm.NONE, n is Norm.RMS, n.name, n.value, "
        "n in (Norm.NONE, Norm.RMS))",
        "True False True RMS 1 True");
    row("methods do not see the names of the class body",
        "n = 1\nclass C:\n    n = 2\n    def get(self):\n        return n\nprint(C().get())", "1");
    row("counting within one pass of a loop",
        "for i in nl.affine_range(2):\n    n = 0\n    for j in nl.static_range(3):\n"
        "        n += 1\n    n += 4\n    print(n)",
        "7\n7");
    row("the limits of a type", "print(nl.finfo(nl.float32).min < -3e38, nl.finfo(a.dtype).eps)",
        "True 1.1920928955078125e-07");
    row("directives for the compiler's scheduler",
        "for i in nl.sequential_range(2, directives=nki.compiler.no_reorder()):\n    print(i)",
        "0\n1");
    row("a context that only steers the compiler", "with nl.no_reorder():\n    print(1)", "1");
    row("without a grid there is one program",
        "print(nl.program_id(0), nl.num_programs(0), nl.num_programs(), nl.program_ndim())",
        "0 1 1 0");
    row("programs know their place in the grid",
        "def f(x):\n    print(nl.program_id(0), nl.program_id(axis=1), nl.num_programs(axes=1), "
        "nl.num_programs(), nl.program_ndim())\n    return x\nf[2, 2](a)",
        "0 0 2 4 2\n0 1 2 4 2\n1 0 2 4 2\n1 1 2 4 2");
    row("names are swapped", "x, y = 1, 2\nx, y = y, x\nprint(x, y)", "2 1");
    row("one value goes to several names", "x = y = 4\nprint(x, y)", "4 4");
    row("stars spread sequences", "x = [1, 2]\nprint([0, *x, 3], (*x,))", "[0, 1, 2, 3] (1, 2)");
    row("lists change in place and are shared",
        "x = [1]\ny = x\ny.append(2)\ny[0] = 5\nx.extend([7, 8])\nprint(x, len(y), x.pop(), x)",
        "[5, 2, 7] 4 8 [5, 2, 7]");
    row("pop takes the item asked for", "x = [1, 2, 3, 4]\nprint(x.pop(1), x.pop(-2), x.pop(0), x)",
        "2 3 1 [4]");
    row("lists are sliced", "x = [0, 1, 2, 3, 4]\nprint(x[1:3], x[-2:], x[:-3], x[::2], x[::-1])",
        "[1, 2] [3, 4] [0, 1] [0, 2, 4] [4, 3, 2, 1, 0]");
    row("slices of lists are clipped", "x = [0, 1]\nprint(x[0:9], x[5:9])", "[0, 1] []");
    row("sequences are joined and repeated", "print([1] + [2], (1,) * 3, [0] * 0)",
        "[1, 2] (1, 1, 1) []");
    row("dicts are read, changed and walked",
        "d = {'a': 1, 'b': 2}\nd['a'] = 3\nd['c'] = 4\n"
        "print(d['a'], d.get('z', 9), d.get('z'), list(d.keys()), list(d.items()))",
        "3 9 None ['a', 'b', 'c'] [('a', 3), ('b', 2), ('c', 4)]");
    row("the last of two equal keys counts", "d = {1: 'x', 1: 'y'}\nprint(d[1], len(d))", "y 1");
    row("f-strings show values", "x = 3\nprint(f'{x} and {x + 1}', f'{\"s\"!r}', f'{[x]}')",
        "3 and 4 's' [3]");
    row("strings are joined", "print('a' + 'b', '-'.join(['x', 'y', 'z']), 'abc'.startswith('ab'))",
        "ab x-y-z True");
    row("joining keeps empty parts", "print(','.join(['', 'x', '']))", ",x,");
    row("a list comprehension filters and nests",
        "print([i * j for i in range(3) if i > 0 for j in (1, 10)])", "[1, 10, 2, 20]");
    row("a comprehension leaves the names around it alone",
        "i = 7\nx = [i for i in range(3)]\nprint(i, x)", "7 [0, 1, 2]");
    row("a dict comprehension", "print({k: k * k for k in range(3)}[2])", "4");
    row("a generator feeds sum", "print(sum(x * x for x in [1, 2, 3]), max(x for x in (1, 3)))",
        "14 3");
    row("functions of sequences",
        "print(min(3, 1), max([1, 5]), abs(-2), sorted([2, 1]), "
        "list(reversed([1, 2])), any([0, 1]), all([0, 1]))",
        "1 5 2 [1, 2] [2, 1] True False");
    row("enumerate and zip",
        "print([x for x in enumerate('ab', 1)], [y for y in zip([1, 2], "
        "(3, 4, 5))])",
        "[(1, 'a'), (2, 'b')] [(1, 3), (2, 4)]");
    row("numbers are converted",
        "print(int(3.9), int(-3.9), float(2), bool(0), str(5), round(2.5))", "3 -3 2.0 False 5 2");
    row("infinity is written as text", "print(float('-inf'), float('inf') > 1e30, float('1.5'))",
        "-inf True 1.5");
    row("math and numpy constants",
        "print(math.ceil(2.1), math.floor(-2.1), math.sqrt(16), math.prod([2, 3]), np.pi > 3.14)",
        "3 -3 4.0 6 True");
    row("isinstance knows Python's types",
        "print(isinstance(1, int), isinstance(1.0, (int, float)), isinstance([], tuple))",
        "True True False");
    row("divmod", "print(divmod(-7, 2))", "(-4, 1)");
    row("functions take defaults and keywords",
        "def f(x, y=2, *, z=3):\n    return (x, y, z)\nprint(f(1), f(1, z=9), f(y=5, x=4))",
        "(1, 2, 3) (1, 2, 9) (4, 5, 3)");
    row("functions collect what is left",
        "def f(x, *rest, **named):\n    return (x, rest, named['k'])\nprint(f(1, 2, 3, k=4))",
        "(1, (2, 3), 4)");
    row("a default is evaluated once, where the function is defined",
        "n = 1\ndef f(x=n):\n    return x\nn = 2\nprint(f())", "1");
    row("a closure sees later values",
        "n = 1\ndef f():\n    return n\nn = 2\nprint(f(), (lambda: n + 1)())", "2 3");
    row("closures of a factory are separate",
        "def make(k):\n    return lambda x: x * k\nf, g = make(2), make(10)\nprint(f(3), g(3))",
        "6 30");
    row("functions call themselves",
        "def f(n):\n    return 1 if n == 0 else n * f(n - 1)\nprint(f(5))", "120");
    row("a function without return gives None", "def f():\n    pass\nprint(f())", "None");
    row("a name bound in a function stays there",
        "x = 1\ndef f():\n    x = 2\n    return x\nprint(f(), x)", "2 1");
    row("break, continue and else of loops",
        "for i in [0, 1, 2, 3]:\n    if i == 1:\n        continue\n    if i == 3:\n        break\n"
        "    print(i)\nelse:\n    print('never')\nfor i in []:\n    pass\nelse:\n    print('end')",
        "0\n2\nend");
    row("while loops end", "n = 3\nwhile n > 0:\n    n = n - 1\nelse:\n    print('done', n)",
        "done 0");
    row("ranges count up and down",
        "print([i for i in range(5, 0, -2)], list(range(2)), list(range(3, 3)))",
        "[5, 3, 1] [0, 1] []");
    row("a range near the largest integer ends",
        "n = 0\nfor i in nl.static_range(9223372036854775800, 9223372036854775807, 5):\n"
        "    n = n + 1\nprint(n)",
        "2");
    row("an unrolled loop counts in a Python variable",
        "n = 0\nfor i in nl.static_range(4):\n    n += i\nprint(n)", "6");
    row("a true assertion says nothing", "assert a.shape[0] % 128 == 0, 'rows'\nprint('ok')", "ok");
    row("a string standing alone is a comment", "'''words'''\nprint(1)", "1");
    row("a name may be annotated", "x: int = 3\ny: int\nprint(x)", "3");
    row("print takes a separator and an end", "print(1, 2, sep=', ', end=';')\nprint('', 3)",
        "1, 2; 3");
    row("a list compares by its items",
        "print([1, 2] == [1, 2], (1,) != (2,), 'a' == 'a', 1 == None)", "True True True False");
}

void tst_TracerLanguage::pythonMeansWhatItMeansInPython()
{
    QFETCH(QString, statements);
    QFETCH(QString, printed);
    QCOMPARE(traceStatements(statements.toStdString()).printed(), printed.toStdString());
}

void tst_TracerLanguage::theEntryPointIsFound_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("printed");
    const auto row = [](const char *name, const std::string &source, const char *printed) {
        QTest::newRow(name) << QString::fromStdString("import neuronxcc.nki as nki\n"
                                                      "import neuronxcc.nki.language as nl\n" +
                                                      source)
                            << QString::fromUtf8(printed);
    };
    const std::string body = "    out = nl.ndarray((2, 2), dtype=nl.float32, "
                             "buffer=nl.shared_hbm)\n    return out\n";
    row("the only decorated function",
        "def helper(x):\n    return x\n@nki.jit\ndef mine(a, b, v):\n    print('mine')\n" + body,
        "mine");
    row("a call with arguments as decorator",
        "@nki.jit(mode='x')\ndef mine(a, b, v):\n    print('mine')\n" + body, "mine");
    row("the one named kernel among several",
        "@nki.jit\ndef kernel(a, b, v):\n    print('kernel')\n" + body +
            "@nki.jit\ndef other(a, b, v):\n    print('other')\n" + body,
        "kernel");
    row("what stands under the main guard is not run",
        "@nki.jit\ndef kernel(a, b, v):\n    print('kernel')\n" + body +
            "if __name__ == '__main__':\n    kernel(nothing)\n",
        "kernel");
    row("constants of the module are seen",
        "SIZE = 4 * 32\n@nki.jit\ndef kernel(a, b, v):\n    print(SIZE)\n" + body, "128");
}

void tst_TracerLanguage::theEntryPointIsFound()
{
    QFETCH(QString, source);
    QFETCH(QString, printed);
    QCOMPARE(traceText(source.toStdString()).printed(), printed.toStdString());
}

void tst_TracerLanguage::tensorsTellTheirShape()
{
    QCOMPARE(traceStatements("t = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16)\n"
                             "print(a.shape, a.dtype, v.ndim, t.shape, t.dtype)\n"
                             "x = nl.load(v)\n"
                             "print(x.shape, nl.tile_size.pmax, nl.tile_size.gemm_moving_fmax)")
                 .printed(),
             std::string("(256, 512) float32 1 (4, 128, 512) bfloat16\n(128, 1) 128 512"));
}

void tst_TracerLanguage::hostCodeOfTheFileIsLetAlone()
{
    const std::string host = "import os\nimport torch\nfrom scipy.special import softmax\n"
                             "from dataclasses import dataclass, field\n"
                             "os.environ['X'] = '1'\nlogger = torch.logging.getLogger()\n"
                             "@dataclass\nclass Plan:\n    size: int = field(default=1)\n"
                             "@dataclass(frozen=True)\nclass Config:\n    size: int = 4\n";
    QCOMPARE(traceText(host + kernelAround("print(Config().size)")).printed(), std::string("4"));
    const std::string used = host + kernelAround("print(Plan().size)  # here");
    QCOMPARE(traceText(used).failure(),
             fmt::format("unsupported unsupported line {}", lineOfRemark(used)));
}

namespace {

/// A kernel whose programs each add one tile; `offset` is where in the result.
std::string gridKernel(const std::string &offset)
{
    return "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
           "def tiles(a, b):\n"
           "    c = nl.ndarray((256, 512), dtype=a.dtype, buffer=nl.shared_hbm)\n"
           "    i = nl.program_id(0) * 128 + nl.arange(128)[:, None]\n"
           "    j = nl.program_id(1) * 256 + nl.arange(256)[None, :]\n"
           "    k = nl.arange(256)[None, :] + " +
           offset +
           "\n"
           "    nl.store(c[i, k], nl.load(a[i, j]))\n"
           "    return c\n"
           "@nki.jit\ndef kernel(a, b, v):\n    return tiles[2, 2](a, b)\n";
}

} // namespace

void tst_TracerLanguage::programsOfAGridWriteOneResult()
{
    const Traced traced = traceText(gridKernel("nl.program_id(1) * 256"));
    QVERIFY2(!traced.failed(), traced.words().c_str());
    QCOMPARE(traced.program().outputs.size(), std::size_t(1));
    std::vector<std::int64_t> stored;
    for (const nki::Instruction &instruction : traced.program().instructions)
        if (instruction.opcode == nki::Opcode::Store)
            stored.push_back(traced.program().outputsOf(instruction)[0].offset);
    QCOMPARE(stored, (std::vector<std::int64_t>{0, 256, 65536, 65792}));
    QVERIFY(nki::analyse(traced.program()).problems().empty());
}

void tst_TracerLanguage::aReturnInALoopEndsTheTextAndNotTheLoop()
{
    const Traced traced = traceStatements("for i in nl.affine_range(2):\n"
                                          "    x = nl.load(a[i * 128:i * 128 + 128, :])\n"
                                          "    nl.store(out[i * 128:i * 128 + 128, :], value=x)\n"
                                          "    return out\n"
                                          "nl.store(out[0:128, :], value=nl.load(b))");
    QVERIFY2(!traced.failed(), traced.failure().c_str());
    QCOMPARE(traced.program().instructions.size(), std::size_t(4)); // two passes, nothing behind
    QCOMPARE(traced.program().outputs.size(), std::size_t(1));
}

void tst_TracerLanguage::aSumOfProductsNeedsNoZerosBefore()
{
    const Traced traced = traceStatements(
        "x = nl.load(b)\np = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
        "for i in nl.affine_range(4):\n"
        "    p[...] += nisa.nc_matmul(x[:, i * 128:(i + 1) * 128], x)\n"
        "s = nl.copy(p)\nnl.store(out[0:128, :], s)\nnl.store(out[128:256, :], s)");
    QVERIFY2(!traced.failed(), traced.words().c_str());
    QVERIFY(nki::analyse(traced.program()).problems().empty());
}

void tst_TracerLanguage::programsThatWriteTheSameElementsAreFound()
{
    const Traced traced = traceText(gridKernel("0"));
    QVERIFY2(!traced.failed(), traced.words().c_str());
    const auto problems = nki::analyse(traced.program()).problems();
    QVERIFY(!problems.empty());
    QCOMPARE(problems.front().rule, std::string("err_unexpected_output_dependencies"));
}

ACCELOPT_TEST(tst_TracerLanguage)
#include "tst_TracerLanguage.moc"
