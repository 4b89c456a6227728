// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/FunctionTable.h"

#include <unordered_map>

namespace accelopt::nki {

namespace {

Signature parseSignature(std::string_view text)
{
    Signature signature;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view item = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        while (!item.empty() && item.front() == ' ')
            item.remove_prefix(1);
        if (!item.empty() && item.front() == '*') {
            signature.collectsRest = true;
            continue;
        }
        const bool optional = !item.empty() && item.back() == '=';
        if (optional)
            item.remove_suffix(1);
        signature.parameters.push_back({std::string(item), !optional});
    }
    return signature;
}

struct Tables
{
    std::unordered_map<std::string_view, const FunctionSpec *> byPath;
    std::unordered_map<const FunctionSpec *, Signature> signatures;

    Tables()
    {
        for (const auto family :
             {creationFunctions(), dataMovementFunctions(), elementwiseFunctions(),
              matrixFunctions(), reductionFunctions(), indexFunctions(), pythonFunctions()})
            for (const FunctionSpec &spec : family) {
                byPath.emplace(spec.path, &spec);
                signatures.emplace(&spec, parseSignature(spec.signature));
            }
    }
};

const Tables &tables()
{
    static const Tables s_tables;
    return s_tables;
}

} // namespace

const FunctionSpec *findFunction(std::string_view path)
{
    const auto it = tables().byPath.find(path);
    return it == tables().byPath.end() ? nullptr : it->second;
}

std::vector<std::string_view> functionNames()
{
    std::vector<std::string_view> names;
    for (const auto &[path, spec] : tables().byPath)
        names.push_back(path);
    return names;
}

const Signature &Signature::of(const FunctionSpec &spec)
{
    return tables().signatures.at(&spec);
}

} // namespace accelopt::nki
