/** Integrations that hold the credential of a guardrail service instead of an account at a provider of models. */
import { missingFieldsOf, PLUGIN_CREDENTIALS } from '../../guardrails/index.ts';
import { createSuggestions, didYouMean } from '../../lib/suggestions.ts';
import { PROVIDER_CATALOGUE } from '../../providers/index.ts';
import type { Issue } from '../../schema/index.ts';
import { mappingIssues } from './credentials.ts';

/** The members that such an Integration has; the others are about models. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['displayName', 'description', 'provider', 'secretRef', 'secretMappings', 'settings'],
  ...['allowAllModels', 'proxyPaths'], // they have defaults, which are written in
]);

interface Service {
  readonly provider: string;
  readonly secretRef?: { readonly key?: string | undefined } | undefined;
  readonly secretMappings?: readonly { readonly field: string }[] | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** Whether the provider of an Integration is a guardrail service. */
export const isGuardrailService = (provider: string): boolean =>
  !PROVIDER_CATALOGUE.has(provider) && PLUGIN_CREDENTIALS.has(provider);

/** Problems of an Integration of a guardrail service. What its Secret holds is checked where it is read. */
export function guardrailServiceIssues(spec: Service): Issue[] {
  const fields = PLUGIN_CREDENTIALS.get(spec.provider) ?? [];
  const problem = (path: readonly string[], message: string): Issue => ({
    code: 'invalid',
    path: ['spec', ...path],
    message,
  });
  const open = fields.filter(({ secret }) => !secret).map(({ name }) => name);
  const hidden = fields.filter(({ secret }) => secret).map(({ name }) => name);
  const suggest = createSuggestions();
  const issues = Object.entries(spec)
    .filter(([name, value]) => value !== undefined && !MEMBERS.has(name))
    .map(([name]) => problem([name], `${spec.provider} is a guardrail service: it has no models`));
  for (const name of Object.keys(spec.settings ?? {})) {
    if (open.includes(name)) continue;
    const why = hidden.includes(name) ? 'is secret: put it into the Secret' : 'unknown setting';
    issues.push(problem(['settings', name], `${why}${didYouMean(suggest(name, open))}`));
  }
  issues.push(...mappingIssues(spec.secretMappings, hidden));
  const mapped = (spec.secretMappings ?? []).map(({ field }) => field);
  if (spec.secretRef === undefined && mapped.length === 0) {
    issues.push(problem(['secretRef'], `${spec.provider} needs a Secret with ${hidden.join(', ')}`));
  } else if (spec.secretRef?.key !== undefined) {
    issues.push(problem(['secretRef', 'key'], 'the Secret has all fields of the credential: leave key out'));
  }
  const known = new Set([
    ...(spec.secretRef === undefined ? mapped : hidden),
    ...Object.keys(spec.settings ?? {}),
    ...open.filter(() => spec.secretRef !== undefined),
  ]);
  for (const name of missingFieldsOf(fields, (field) => known.has(field))) {
    issues.push(problem(['settings'], `${spec.provider} needs ${name}`));
  }
  return issues;
}
