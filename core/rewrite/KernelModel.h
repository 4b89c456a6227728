// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/nki/syntax/SyntaxTree.h"
#include "core/rewrite/Operation.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::rewrite {

/// What may be known of a kernel besides its text: the shapes its arguments can have (one list per
/// layout of the task; empty shape: a number). The first list that fits the way the kernel uses its
/// arguments is taken.
struct ModelContext
{
    std::vector<std::vector<Shape>> layouts;
    /// Other values for integer constants of the kernel: "what if this tile size were ...?".
    std::map<std::string, std::int64_t> constants;
};

/// A loop of the kernel. `trips` is symbolic when sizes are unknown.
struct Loop
{
    nki::NodeId node = -1;
    std::string variable;
    std::string kind; ///< "affine_range", "sequential_range", "static_range" or "range"
    Symbolic trips;
    bool known = false; ///< the iterable has a form that was understood
    int parent = -1;
};

/// A part of a tensor that a statement reads or writes.
struct Touch
{
    Access access;
    bool write = false;
};

/// A statement. Those with a body (for, if, with) have no operation; their reads and writes are
/// those of the whole body.
struct Statement
{
    nki::NodeId node = -1;
    nki::NodeId block = -1;
    int position = 0;       ///< within its block
    int loop = -1;          ///< innermost loop around it
    bool augmented = false; ///< destination += ...
    bool hasBody = false;   ///< for, if, while, with
    /// Tensors: the compiler keeps an operand in PSUM, which halves the price.
    bool fedFromPsum = false;
    Access destination; ///< base empty: the statement has none
    TileShape shape;    ///< of what is written
    std::optional<Operation> operation;
    std::map<std::string, int> reads;  ///< name -> how often
    std::map<std::string, int> writes; ///< name -> how often, subscripted or whole
    /// Every name and region in the text, in no order; none for statements with a body.
    std::vector<Touch> touches;
};

/// Where a tensor of the kernel is made.
struct Declaration
{
    int statement = -1;
    std::vector<nki::NodeId> dimensionNodes; ///< nl.par_dim(...) included
    std::vector<Symbolic> dimensions;
    int partitionAxis = 0;
    std::string memory; ///< "sbuf", "psum", "hbm", "shared_hbm"
    std::string dtype;  ///< as in Operation::dtype
    TileShape tile;     ///< of one block
};

/// A kernel as the rewrites see it: whatever its style, statements of the form
/// `destination = operation(operands)` with canonical operation names, analysed indices and loops.
class KernelModel
{
public:
    /// Finds the kernel of a file and analyses it. NotGood error when the file has no function. The
    /// tree must outlive the model.
    static Result<KernelModel> build(const nki::SyntaxTree &tree, const ModelContext &context = {});

    const nki::SyntaxTree &tree() const { return *m_tree; }
    const ModelContext &context() const { return m_context; }
    nki::NodeId function() const { return m_function; }
    const std::vector<Statement> &statements() const { return m_statements; }
    const Statement &statement(int id) const { return m_statements[static_cast<std::size_t>(id)]; }
    const std::vector<Loop> &loops() const { return m_loops; }
    const std::map<std::string, Declaration> &declarations() const { return m_declarations; }
    /// Statements of a block in order.
    const std::vector<int> &block(nki::NodeId id) const;

    // Values

    /// The statement whose result an operand of `use` is, when that is certain: it stands earlier
    /// in the same block, writes exactly what is read, and nothing between writes it again. -1
    /// otherwise.
    int definition(const Operand &operand, int use) const;
    /// True when the result of statement `definition` is read by `use` (`times` times) and by
    /// nothing else.
    bool onlyUsedBy(int definition, int use, int times = 1) const;
    /// True when an operand read at statement `from` has the same value at statement `to` of the
    /// same block.
    bool unchanged(const Operand &operand, int from, int to) const;
    /// How often a statement is executed; unknown trip counts count as 8.
    double executions(int statement) const;
    /// The loops around a statement, innermost first.
    std::vector<int> loopsAround(int statement) const;
    /// True when the statement stands in the body of the loop, at any depth.
    bool inside(int statement, int loop) const;
    /// All nodes below `root` that are this name.
    std::vector<nki::NodeId> mentions(nki::NodeId root, const std::string &name) const;
    /// The whole number that an expression of constants and known sizes stands for.
    std::optional<std::int64_t> constantSize(nki::NodeId expression) const;
    /// Trip count of a loop when it is a known number.
    std::optional<std::int64_t> trips(int loop) const;
    /// All statements that read or write a name, in order of the text.
    std::vector<int> users(const std::string &name) const;
    /// Names a kernel may not be given to something new.
    bool nameTaken(const std::string &name) const { return m_names.contains(name); }
    /// `wish`, or `wish_2`, `wish_3`, ... when that is taken.
    std::string freshName(const std::string &wish) const;
    /// How this file spells a function of NKI ("nisa.activation" -> "nki.isa.activation"), or
    /// nothing when the module it belongs to is not imported.
    std::optional<std::string> spelling(const std::string &canonical) const;
    /// Text of a node with its tokens one space apart, for comparison.
    std::string normalized(nki::NodeId node) const;
    std::string_view text(nki::NodeId node) const { return m_tree->text(node); }
    /// Names of integer constants, and their values.
    const std::map<std::string, std::pair<std::int64_t, int>> &namedConstants() const
    {
        return m_constants;
    }
    /// Value of an integer constant bound once to this name in the kernel, with the statement that
    /// binds it.
    std::optional<std::pair<std::int64_t, int>> namedConstant(const std::string &name) const;

private:
    friend class ModelBuilder;
    void markPsumOperands();
    int ancestorIn(nki::NodeId block, int statement) const;
    bool boundBetween(const std::string &name, nki::NodeId block, int after, int before) const;

    const nki::SyntaxTree *m_tree = nullptr;
    ModelContext m_context;
    nki::NodeId m_function = -1;
    std::vector<Statement> m_statements;
    std::vector<Loop> m_loops;
    std::map<nki::NodeId, std::vector<int>> m_blocks;
    std::map<std::string, Declaration> m_declarations;
    std::map<std::string, int> m_names;
    std::map<std::string, std::string> m_modules; ///< alias -> "nl", "nisa", "nki" or "np"
    std::map<std::string, Symbolic> m_sizes;
    std::map<nki::NodeId, std::int64_t> m_knownSizes;
    std::map<std::string, std::pair<std::int64_t, int>> m_constants;
};

} // namespace accelopt::rewrite
