import { isObject } from '@gatehouse/crds';
import { requestParametersCheck as entry } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../../wire/contract.ts';
import { excerptOf } from '../../answers.ts';
import { defineCheck } from '../../contract.ts';
import { onlyOnInput } from './only-on-input.ts';

/** Tools and parameters that are shown of each list. */
const MAX_SHOWN = 100;
const UNKNOWN = 'unknown';

interface Tool {
  readonly type: string;
  readonly name: string;
}

/** Reasons why one of a name is refused. */
type Rule = (name: unknown) => readonly string[];

/** An empty list says nothing. */
function compileRule(what: string, blocked: readonly unknown[], allowed: readonly unknown[]): Rule {
  const refused = new Set(blocked);
  const accepted = new Set(allowed);
  return (name) => [
    ...(refused.has(name) ? [`${what}_blocked`] : []),
    ...(accepted.size > 0 && !accepted.has(name) ? [`${what}_not_allowed`] : []),
  ];
}

export const requestParametersCheck = defineCheck(entry, (config) => {
  const { tools, params } = config;
  const ofType = compileRule('type', tools.blockedTypes, tools.allowedTypes);
  const ofName = compileRule('name', tools.blockedFunctionNames, tools.allowedFunctionNames);
  const ofKey = compileRule('key', params.blockedKeys, params.allowedKeys);
  const ofValue = new Map(
    Object.entries(params.values).map(([key, { blockedValues, allowedValues }]) => [
      key,
      compileRule('value', blockedValues, allowedValues),
    ]),
  );

  return onlyOnInput(({ request }) => {
    const used = toolsOf(request);
    const badTools = used.flatMap((tool) => {
      const reasons = [...ofType(tool.type), ...ofName(tool.name)];
      return reasons.length === 0 ? [] : [{ ...tool, reasons }];
    });
    const badParams = Object.keys(request).flatMap((param) => {
      const rule = ofValue.get(param);
      const reasons = [...ofKey(param), ...(rule === undefined ? [] : rule(request[param]))];
      return reasons.length === 0 ? [] : [{ param, ...shown(request[param]), reasons }];
    });
    const verdict = badTools.length === 0 && badParams.length === 0;
    const data = {
      ...(used.length === 0 ? {} : { toolsInRequest: used.slice(0, MAX_SHOWN) }),
      ...(badTools.length === 0 ? {} : { blockedToolsFound: badTools.slice(0, MAX_SHOWN) }),
      ...(badParams.length === 0 ? {} : { blockedParamsFound: badParams.slice(0, MAX_SHOWN) }),
      explanation: `${badTools.length} tools and ${badParams.length} parameters are against the rules.`,
      config,
    };
    return { verdict, data };
  });
});

/** The tools of all interfaces; `functions` is what chat completions called them before. */
function toolsOf({ tools, functions }: JsonObject): readonly Tool[] {
  const named = Array.isArray(tools) ? tools.map(toolOf) : [];
  const older = Array.isArray(functions)
    ? functions.map((item: unknown) => toolOf({ type: 'function', function: item }))
    : [];
  return [...named, ...older];
}

function toolOf(item: unknown): Tool {
  const tool = isObject(item) ? item : {};
  const type = textOf(tool['type']) ?? UNKNOWN;
  const inner = isObject(tool['function']) ? textOf(tool['function']['name']) : undefined;
  return { type, name: inner ?? textOf(tool['name']) ?? type };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Messages and other objects are not repeated. */
function shown(value: unknown): { readonly value?: unknown } {
  if (typeof value === 'string') return { value: excerptOf(value) };
  return typeof value === 'object' && value !== null ? {} : { value };
}
