import { isObject } from '@gatehouse/crds';
import { AppError, memoryExhausted } from '../../errors/index.ts';
import { mergeObjects, writeJson } from '../../lib/json/index.ts';
import { type CompiledPrompt, renderPrompt } from '../../prompts/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Caller, Exchange, RequestBody } from '../exchange.ts';
import { nameSuggestion } from './suggest.ts';

/** The prompt that a request uses, for policies and records. */
export interface PromptUse {
  readonly slug: string;
  /** Empty: a prompt of the organisation. */
  readonly workspace: string;
  readonly version: number;
}

/** A request that uses a saved prompt. */
export interface PromptedRequest {
  readonly use: PromptUse;
  readonly kind: 'chat' | 'text';
  readonly variables: JsonObject;
  /** What the call says beside its variables: it replaces what prompts say. */
  readonly overrides: JsonObject;
  /** Slug of the provider of the prompt. */
  readonly provider: string | undefined;
  /** As the client sent it. */
  readonly clientBody: RequestBody;
  /** The body of the operation that the request is. */
  readonly body: RequestBody;
  /** The same request as that operation. */
  readonly exchange: Exchange;
}

const NOTHING: JsonObject = {};
const THE_WAY = 'call one by POST /v1/prompts/{prompt_id}/completions, or in prompt_id of a chat completion';

/**
 * Undefined for a request without a saved prompt. Throws PROMPT_UNKNOWN, PROMPT_MISPLACED, PARAMETER_INVALID and what rendering
 * throws.
 */
export function promptOf(exchange: Exchange, caller: Caller, body: RequestBody): PromptedRequest | undefined {
  const { prompts } = exchange.operation;
  if (prompts === undefined || body.kind !== 'json') return undefined;
  const reference = referenceOf(exchange, body.value);
  if (reference === undefined) return undefined;
  if (prompts === 'refused')
    throw misplaced(`${exchange.request.method} ${exchange.request.path} takes no saved prompts: ${THE_WAY}`);
  const { prompt_id: named, variables: given, ...rest } = body.value;
  const variables = variablesOf(given);
  const overrides = prompts === 'named' ? rest : { ...rest, ...(named === undefined ? {} : { prompt_id: named }) };
  const prompt = findPrompt(exchange, caller, reference);
  const { kind, provider } = prompt.template;
  const operation = exchange.operation.promptAs?.[kind] ?? exchange.operation;
  if (prompts === 'named') refuseOtherKind(operation.id, prompt);
  const rendered = renderFor(prompt, variables, exchange);
  const value = prompts === 'named' ? continued(rendered, overrides) : mergeObjects(rendered, overrides, NOTHING);
  const bytes = writeJson(value);
  if (!exchange.memory.take(bytes.length)) throw memoryExhausted();
  return {
    use: useOf(prompt),
    kind,
    variables,
    overrides,
    provider,
    clientBody: body,
    body: { kind: 'json', value, bytes },
    exchange: operation === exchange.operation ? exchange : { ...exchange, operation },
  };
}

/** A body names the prompt where the route does not. */
function referenceOf({ operation, request }: Exchange, value: JsonObject): string | undefined {
  if (operation.prompts === 'called' || operation.prompts === 'rendered') {
    return decodeURIComponent(request.route['prompt_id'] ?? '');
  }
  const { prompt_id: named } = value;
  if (named === undefined || named === null) return undefined;
  if (typeof named === 'string') return named;
  throw new AppError('PARAMETER_INVALID', { param: 'prompt_id', detail: 'prompt_id is the slug of a saved prompt' });
}

function variablesOf(given: unknown): JsonObject {
  if (given === undefined || given === null) return NOTHING;
  if (isObject(given)) return given;
  throw new AppError('PARAMETER_INVALID', { param: 'variables', detail: 'variables is an object of values by name' });
}

/** Throws PROMPT_UNKNOWN. */
export function findPrompt(
  { snapshot }: Pick<Exchange, 'snapshot'>,
  { workspace }: Caller,
  reference: string,
): CompiledPrompt {
  const prompt = snapshot.prompts.prompt(workspace.name, reference);
  if (prompt !== undefined) return prompt;
  const known = snapshot.prompts.slugs(workspace.name);
  const [slug = ''] = reference.split('@');
  const hint = known.includes(slug) ? '; it has no such version or label' : nameSuggestion(slug, known);
  throw new AppError('PROMPT_UNKNOWN', {
    param: 'prompt_id',
    detail: `Invalid prompt id: no prompt ${reference.slice(0, MAX_SHOWN)} in the workspace ${workspace.name}${hint}`,
  });
}

const MAX_SHOWN = 300;

/** Partials of a prompt of the organisation are those of the organisation. */
export function renderFor(
  prompt: CompiledPrompt,
  variables: JsonObject,
  { snapshot }: Pick<Exchange, 'snapshot'>,
): JsonObject {
  return renderPrompt(prompt, variables, (reference) => snapshot.prompts.partial(prompt.workspace, reference)).body;
}

export const useOf = ({ slug, workspace, version }: CompiledPrompt): PromptUse => ({
  slug,
  workspace: workspace ?? '',
  version,
});

export const misplaced = (detail: string): AppError => new AppError('PROMPT_MISPLACED', { param: 'prompt_id', detail });

function refuseOtherKind(operation: string, { slug, template: { kind } }: CompiledPrompt): void {
  if ((operation === 'chatComplete') === (kind === 'chat')) return;
  const other = kind === 'chat' ? 'POST /v1/chat/completions' : 'POST /v1/completions';
  throw misplaced(`The prompt ${slug} is one for ${other}`);
}

/** The messages of a call come after those of its prompt. */
function continued(rendered: JsonObject, overrides: JsonObject): JsonObject {
  const { messages: ours } = rendered;
  const { messages: theirs } = overrides;
  const merged = mergeObjects(rendered, overrides, NOTHING);
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return merged;
  return mergeObjects(NOTHING, merged, { messages: [...ours, ...theirs] });
}
