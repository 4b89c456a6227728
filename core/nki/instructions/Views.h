// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Evaluator.h"

#include <optional>
#include <vector>

// Helpers that several families of functions share: shapes, views, and the implicit data movements
// of NKI.

namespace accelopt::nki {

/// Sizes out of values; refuses index expressions ("shape element must be integers").
std::vector<std::int64_t> shapeOf(Evaluator &evaluator, const std::vector<Value> &values);

/// The tile behind a value; refuses HBM tensors and whole tensors with block dimensions.
TensorObject &tileOf(Evaluator &evaluator, const Value &value, std::string_view role);

/// Same, after the checks that an operand of a compute engine must pass (partitions, start
/// partition).
void checkOperand(Evaluator &evaluator, const TensorObject &view, std::string_view role);

/// The sizes of a view's axes.
std::vector<std::int64_t> sizes(const TensorObject &view);

Value reshape(Evaluator &evaluator, const Value &tensor, const std::vector<std::int64_t> &shape);
Value expandDims(Evaluator &evaluator, const Value &tensor, const Value &axis);
/// A view on free axes; a broadcast over partitions goes through the tensor engine.
Value broadcastTo(Evaluator &evaluator, const Value &tensor,
                  const std::vector<std::int64_t> &shape);
/// nl.copy: a new SBUF tile.
Value copyTile(Evaluator &evaluator, const Value &tile, const Value &mask,
               std::optional<DType> dtype);

/// dtype= of a call, if given.
std::optional<DType> dtypeArgument(Evaluator &evaluator, const Value &value);
/// mask= of a call as a mask, or null.
const MaskObject *maskArgument(Evaluator &evaluator, const Value &mask);
/// engine= of a call, or `otherwise` for None and unknown_engine.
Engine engineArgument(const Value &engine, Engine otherwise);

/// Operator given as op=: what nl.add or np.add means.
AluOp aluArgument(Evaluator &evaluator, const Value &op, std::string_view role);

/// Puts an operand that may be a tile of (P,1) or a number into a draft: the number becomes
/// `constant`.
void vectorOrConstant(Evaluator &evaluator, const Value &value, std::string_view role,
                      std::int64_t partitions, Draft &draft, double &constant, bool &isConstant);

} // namespace accelopt::nki
