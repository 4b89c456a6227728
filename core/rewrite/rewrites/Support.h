// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/LoopTree.h"
#include "core/rewrite/Rewrite.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What several rewrites need to match statements and to write new ones.

namespace accelopt::rewrite {

/// Bytes of a partition of SBUF that a kernel's tiles may take, so that the compiler's own copies
/// find room beside them.
inline constexpr double kUsableBytes = 160 * 1024;

/// float32 elements of a partition that one PSUM bank holds.
inline constexpr std::int64_t kBankElements = 512;

/// True for the elementwise operations that tensor_scalar and tensor_tensor share.
bool isArithmetic(const std::string &op);

/// True for an operation that does nothing but make the result it is assigned to.
bool onlyMakesItsResult(const Operation &operation);

/// The loop that is this statement, with all that is in it; nothing when it is another statement or
/// cannot be moved about.
std::optional<std::vector<LoopNode>> nestOf(const KernelModel &model, int statement);

/// A call being written: name of the function, then keyword arguments in order.
class CallText
{
public:
    /// `canonical` as in Operation::callee; adds an import to the file when it lacks the module.
    CallText(const KernelModel &model, SourceEdits &edits, const std::string &canonical);
    CallText &positional(const std::string &text);
    CallText &keyword(const std::string &name, const std::string &text);
    /// Takes over mask= and dtype= of an operation (mask=None is left out).
    CallText &like(const Operation &operation);
    std::string text() const;

private:
    const KernelModel &m_model;
    std::string m_function;
    std::string m_arguments;
};

/// Spelling of an NKI name in this file; adds an import when the module is missing.
std::string spelled(const KernelModel &model, SourceEdits &edits, const std::string &canonical);

/// A size as the kernel spells it at `where` (the name of a constant with that value), else its
/// digits.
std::string sizeText(const KernelModel &model, nki::NodeId where, std::int64_t value);
/// The extent in a shape tuple as it is spelled, without nl.par_dim, when it is the name of a
/// constant of the kernel; else `value` in digits.
std::string extentText(const KernelModel &model, nki::NodeId dimension, std::int64_t value);
/// How the kernel spells the number of partitions of an operand read at statement `use`: as the
/// tensor it comes from is declared or loaded, through elementwise operations; else in digits.
std::string partitionsText(const KernelModel &model, const Operand &operand, int use,
                           std::int64_t value);
/// A number as Python text that reads back as the same double.
std::string numberText(double value);
/// Source text of a node with other texts in the place of some nodes below it.
std::string textWith(const KernelModel &model, nki::NodeId node,
                     std::vector<std::pair<nki::NodeId, std::string>> replacements);
/// Source text of an operand.
std::string textOf(const KernelModel &model, const Operand &operand);

/// Both operations touch the same elements and no precision is lost by leaving the first one's
/// result out.
bool sameMaskAndType(const KernelModel &model, const Operation &first, const Operation &second);
/// The data type a statement's result is kept in: that of the destination, else that of the
/// operation.
std::string keptType(const KernelModel &model, int statement);

/// A definition that can be merged into its only use: plain, same mask, type kept, operands
/// unchanged until there. -1 when there is none.
int mergeable(const KernelModel &model, const Operand &operand, int use);

/// True for a column that nothing but a memset to zero ever writes.
bool isZeroColumn(const KernelModel &model, const Operand &operand);
/// The scale of an Activation when it is a known number (1 when absent).
std::optional<double> scaleOf(const Operation &activation);
bool hasNoBias(const KernelModel &model, const Operation &activation);

/// Removes a statement and, when nothing else mentions it, the declaration of the tensor it writes.
void removeWithDeclaration(const KernelModel &model, SourceEdits &edits, int statement);

/// The statement of the function's own block that is `statement` or has it in its body.
int outermostStatement(const KernelModel &model, int statement);

/// Parameters that name a statement: {"statement": id, "line": line}.
nlohmann::json statementParameters(const KernelModel &model, int statement);
/// Name for prose: the destination's base.
std::string nameOf(const Statement &statement);
/// "line 12"
std::string lineOf(const KernelModel &model, int statement);

/// A Proposal for the statement, with empty edits.
Proposal proposalAt(const KernelModel &model, int statement);

} // namespace accelopt::rewrite
