/** `streamGenerateContent` events as chat chunks. */
import { readJson } from '../../lib/json/index.ts';
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  type BlockDelta,
  type ChatChunk,
  type ChatDelta,
  type ChunkChoice,
  readErrorShape,
  type ToolCallDelta,
  withProviderPrefix,
} from '../openai/index.ts';
import {
  blockReasonOf,
  type CalledFunction,
  extrasOf,
  finishReasonOf,
  logprobsOf,
  type Piece,
  piecesOf,
  usageOf,
} from './candidate.ts';

/** Choices of one stream that are followed; `n` is at most 128. */
const MAX_CHOICES = 128;

const NO_FIELDS = { type: null, param: null, code: null } as const;

/** State of a choice while its stream runs. */
interface ChoiceState {
  readonly index: number;
  started: boolean;
  finished: boolean;
  /** Whether anything visible to the client was sent. */
  spoke: boolean;
  toolCalls: number;
  /** Block numbers of the two kinds that continue over events; every image is a block of its own. */
  readonly blocks: Map<'text' | 'thinking', number>;
  nextBlock: number;
}

interface Session {
  readonly ctx: WireContext;
  readonly choices: Map<number, ChoiceState>;
  readonly head: Pick<ChatChunk, 'id' | 'object' | 'created'>;
  model: string;
  usage: JsonObject | undefined;
  failed: boolean;
}

/** A decoder for events that are each a fragment of a `generateContent` answer. */
export function createGeminiDecoder(ctx: WireContext): StreamDecoder {
  const startedMs = ctx.now();
  const session: Session = {
    ctx,
    choices: new Map(),
    head: {
      id: `${ctx.provider}-${startedMs}`,
      object: 'chat.completion.chunk',
      created: Math.floor(startedMs / 1000),
    },
    model: ctx.model,
    usage: undefined,
    failed: false,
  };
  return { push: (frame) => readFrame(session, frame), end: () => finish(session) };
}

function readFrame(session: Session, frame: Frame): readonly StreamItem[] {
  if (session.failed) return [];
  const body = parseEvent(frame.data);
  if (body === undefined) return [];
  if (body['error'] !== undefined && body['error'] !== null) {
    session.failed = true;
    const fields = readErrorShape(body) ?? { ...NO_FIELDS, message: frame.data };
    return [{ kind: 'error', error: withProviderPrefix(session.ctx.provider, fields) }];
  }
  session.model = textAt(body, 'modelVersion') ?? session.model;
  const usage = objectAt(body, 'usageMetadata');
  // Counts are cumulative, but the last event may lack some of them.
  if (usage !== undefined) session.usage = { ...session.usage, ...usage };
  return toItems(session, choicesOf(session, body));
}

/** An error body of a stream is a list of one error. */
function parseEvent(text: string): JsonObject | undefined {
  try {
    const value: unknown = readJson(text);
    return objectsAt({ list: Array.isArray(value) ? value : [value] }, 'list')[0];
  } catch {
    return undefined;
  }
}

function toItems({ head, model, ctx }: Session, choices: readonly ChunkChoice[]): readonly StreamItem[] {
  if (choices.length === 0) return [];
  const chunk: ChatChunk = { ...head, model, provider: ctx.provider, choices };
  return [{ kind: 'chunk', data: chunk }];
}

/** Ends a choice that was opened and got no finish reason. */
function finish(session: Session): readonly StreamItem[] {
  if (session.failed) return [];
  const open = [...session.choices.values()].filter((state) => !state.finished);
  const closing = open.map((state) => ({
    index: state.index,
    delta: {},
    logprobs: null,
    finish_reason: finishReasonOf(undefined, state.toolCalls > 0, true),
  }));
  const usage: readonly StreamItem[] =
    session.usage === undefined ? [] : [{ kind: 'usage', usage: usageOf(session.usage) }];
  return [...toItems(session, closing), ...usage];
}

function choicesOf(session: Session, body: JsonObject): readonly ChunkChoice[] {
  const candidates = objectsAt(body, 'candidates');
  if (candidates.length === 0 && blockReasonOf(body) !== undefined) return blockedChoice(session, body);
  return candidates
    .map((candidate, at) => toChunkChoice(session, candidate, numberAt(candidate, 'index') ?? at))
    .filter((choice) => choice !== undefined);
}

function blockedChoice(session: Session, body: JsonObject): readonly ChunkChoice[] {
  const state = stateOf(session, 0);
  if (state === undefined || state.finished) return [];
  state.finished = true;
  const extra = session.ctx.strict ? {} : { promptFeedback: body['promptFeedback'] };
  return [{ index: 0, delta: openingDelta(state), logprobs: null, finish_reason: 'content_filter', ...extra }];
}

function stateOf({ choices }: Session, index: number): ChoiceState | undefined {
  const known = choices.get(index);
  if (known !== undefined || choices.size >= MAX_CHOICES) return known;
  const fresh = {
    index,
    started: false,
    finished: false,
    spoke: false,
    toolCalls: 0,
    blocks: new Map(),
    nextBlock: 0,
  };
  choices.set(index, fresh);
  return fresh;
}

/** The chunk of one event for a choice; undefined when it adds nothing. */
function toChunkChoice(session: Session, candidate: JsonObject, index: number): ChunkChoice | undefined {
  const state = stateOf(session, index);
  if (state === undefined) return undefined;
  const { ctx } = session;
  const reason = textAt(candidate, 'finishReason');
  const delta = { ...openingDelta(state), ...contentDelta(state, piecesOf(candidate, ctx), ctx.strict) };
  const finishMessage = state.spoke ? undefined : textAt(candidate, 'finishMessage');
  const said = finishMessage === undefined ? delta : { ...delta, content: finishMessage };
  const logprobs = logprobsOf(candidate);
  const more = extrasOf(candidate, ctx.strict);
  if (reason !== undefined) state.finished = true;
  const silent = Object.keys(said).length === 0 && logprobs === null && Object.keys(more).length === 0;
  if (silent && reason === undefined) return undefined;
  return {
    index,
    delta: said,
    logprobs,
    finish_reason: reason === undefined ? null : finishReasonOf(reason, state.toolCalls > 0, ctx.strict),
    ...more,
  };
}

function openingDelta(state: ChoiceState): ChatDelta {
  if (state.started) return {};
  state.started = true;
  return { role: 'assistant', content: '' };
}

function contentDelta(state: ChoiceState, pieces: readonly Piece[], strict: boolean): ChatDelta {
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
  const calls = pieces.filter((piece) => piece.kind === 'call').map(({ call }) => toCallDelta(state, call));
  const blocks = strict ? [] : pieces.flatMap((piece) => toBlockDeltas(state, piece));
  if (text !== '' || calls.length > 0) state.spoke = true;
  return {
    ...(text === '' ? {} : { content: text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(blocks.length === 0 ? {} : { content_blocks: blocks }),
  };
}

function toCallDelta(state: ChoiceState, { id, ...called }: CalledFunction): ToolCallDelta {
  const index = state.toolCalls;
  state.toolCalls += 1;
  return { index, id, type: 'function', function: called };
}

function toBlockDeltas(state: ChoiceState, piece: Piece): readonly BlockDelta[] {
  switch (piece.kind) {
    case 'text':
      return [textDelta(state, piece)];
    case 'thinking': {
      const index = blockNumber(state, 'thinking');
      const { signature } = piece;
      return [
        { index, delta: { thinking: piece.text } },
        ...(signature === undefined ? [] : [{ index, delta: { signature } }]),
      ];
    }
    case 'image':
      return [{ index: takeBlock(state), delta: { type: 'image_url', image_url: { url: piece.url }, ...piece.more } }];
    case 'code':
      return [{ index: takeBlock(state), delta: piece.block }];
    case 'call':
      return [];
  }
}

/** A signature ends its block: what follows is a text of its own. */
function textDelta(
  state: ChoiceState,
  { text, signature }: { text: string; signature: string | undefined },
): BlockDelta {
  const index = blockNumber(state, 'text');
  if (signature === undefined) return { index, delta: { text } };
  state.blocks.delete('text');
  return { index, delta: { text, thought_signature: signature } };
}

function blockNumber(state: ChoiceState, kind: 'text' | 'thinking'): number {
  const known = state.blocks.get(kind);
  if (known !== undefined) return known;
  const fresh = takeBlock(state);
  state.blocks.set(kind, fresh);
  return fresh;
}

function takeBlock(state: ChoiceState): number {
  const fresh = state.nextBlock;
  state.nextBlock += 1;
  return fresh;
}
