/** Reading one candidate of a Gemini answer or stream event. */
import type { JsonObject, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import { type AnyFinishReason, toFinishReason } from '../openai/index.ts';

/** The parts of a candidate in upstream order; kinds without a counterpart are left out. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly signature: string | undefined }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string | undefined }
  | { readonly kind: 'image'; readonly url: string; readonly more: JsonObject }
  | { readonly kind: 'code'; readonly block: CodeBlock }
  | { readonly kind: 'call'; readonly call: CalledFunction };

/** Code that the upstream has run itself, or what came of it. */
export type CodeBlock = JsonObject & { readonly type: CodeType };
export type CodeType = 'executable_code' | 'code_execution_result';

/** Members of parts by the types of the blocks that hold them. */
const CODE_MEMBERS: readonly (readonly [member: string, type: CodeType])[] = [
  ['executableCode', 'executable_code'],
  ['codeExecutionResult', 'code_execution_result'],
];

export interface CalledFunction {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly thought_signature?: string;
}

export function piecesOf(candidate: JsonObject, ctx: WireContext): readonly Piece[] {
  return objectsAt(objectAt(candidate, 'content'), 'parts')
    .map((part) => pieceOf(part, ctx))
    .filter((piece) => piece !== undefined);
}

function pieceOf(part: JsonObject, ctx: WireContext): Piece | undefined {
  const signature = textAt(part, 'thoughtSignature');
  const called = objectAt(part, 'functionCall');
  if (called !== undefined) return { kind: 'call', call: calledFunction(called, signature, ctx) };
  const image = objectAt(part, 'inlineData');
  if (image !== undefined) {
    const url = `data:${textAt(image, 'mimeType') ?? 'image/png'};base64,${textAt(image, 'data') ?? ''}`;
    const isThought = part['thought'] === true;
    return {
      kind: 'image',
      url,
      more: withoutAbsent({ thought: isThought || undefined, thought_signature: signature }),
    };
  }
  for (const [member, type] of CODE_MEMBERS) {
    const code = objectAt(part, member);
    if (code !== undefined)
      return { kind: 'code', block: { type, ...withoutAbsent({ [type]: code, thought_signature: signature }) } };
  }
  const text = textAt(part, 'text');
  if (text === undefined || (text === '' && signature === undefined)) return undefined;
  return { kind: part['thought'] === true ? 'thinking' : 'text', text, signature };
}

function calledFunction(called: JsonObject, signature: string | undefined, ctx: WireContext): CalledFunction {
  return {
    id: ctx.newId('call_', 24),
    name: textAt(called, 'name') ?? '',
    arguments: JSON.stringify(objectAt(called, 'args') ?? {}),
    ...(signature === undefined || ctx.strict ? {} : { thought_signature: signature }),
  };
}

/**
 * The finish reason: mapped in strict answers, else the upstream's own. Gemini has no reason for a called function, so
 * `tool_calls` is used in both.
 */
export function finishReasonOf(reason: string | undefined, called: boolean, strict: boolean): AnyFinishReason {
  if (called && (reason === undefined || reason === 'STOP')) return 'tool_calls';
  if (reason === undefined) return 'stop';
  return strict ? toFinishReason(reason) : reason;
}

/** The reason a prompt was refused without any candidate; undefined when it was not. */
export const blockReasonOf = (body: JsonObject): string | undefined =>
  textAt(objectAt(body, 'promptFeedback'), 'blockReason');

/** Vendor members of the choice; none for strict clients. */
export function extrasOf(candidate: JsonObject, strict: boolean): JsonObject {
  if (strict) return {};
  return withoutAbsent({
    groundingMetadata: candidate['groundingMetadata'],
    citationMetadata: candidate['citationMetadata'],
    urlContextMetadata: candidate['urlContextMetadata'],
    safetyRatings: candidate['safetyRatings'],
  });
}

/** Token log-probabilities in the chat format, or null when the candidate has none. */
export function logprobsOf(candidate: JsonObject): JsonObject | null {
  const result = objectAt(candidate, 'logprobsResult');
  const chosen = objectsAt(result, 'chosenCandidates');
  if (chosen.length === 0) return null;
  const alternatives = objectsAt(result, 'topCandidates');
  return {
    content: chosen.map((entry, at) => ({
      ...tokenOf(entry),
      top_logprobs: objectsAt(alternatives[at], 'candidates').map(tokenOf),
    })),
  };
}

function tokenOf(entry: JsonObject): JsonObject {
  const token = textAt(entry, 'token') ?? '';
  return { token, logprob: numberAt(entry, 'logProbability') ?? 0, bytes: [...Buffer.from(token, 'utf8')] };
}

/** Gemini counts thoughts separately from candidates; completion tokens are their sum. */
export function usageOf(metadata: JsonObject): Usage {
  const prompt = numberAt(metadata, 'promptTokenCount') ?? 0;
  const thoughts = numberAt(metadata, 'thoughtsTokenCount');
  const cached = numberAt(metadata, 'cachedContentTokenCount');
  const completion = (numberAt(metadata, 'candidatesTokenCount') ?? 0) + (thoughts ?? 0);
  const cachedParts = partsOf(metadata, 'cacheTokensDetails');
  const input = {
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...partsOf(metadata, 'promptTokensDetails'),
    ...(cachedParts === undefined ? {} : { cached_tokens_details: cachedParts }),
  };
  const output = {
    ...(thoughts === undefined ? {} : { reasoning_tokens: thoughts }),
    ...partsOf(metadata, 'candidatesTokensDetails'),
  };
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: numberAt(metadata, 'totalTokenCount') ?? prompt + completion,
    ...(isEmpty(input) ? {} : { prompt_tokens_details: input }),
    ...(isEmpty(output) ? {} : { completion_tokens_details: output }),
  };
}

const PRICED_PARTS: Readonly<Record<string, string>> = { AUDIO: 'audio_tokens', IMAGE: 'image_tokens' };

/** Tokens of audio and images, which have prices of their own; undefined without any. */
function partsOf(metadata: JsonObject, details: string): Readonly<Record<string, number>> | undefined {
  const parts = objectsAt(metadata, details).flatMap((part) => {
    const name = PRICED_PARTS[textAt(part, 'modality') ?? ''];
    return name === undefined ? [] : [[name, numberAt(part, 'tokenCount') ?? 0] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;
