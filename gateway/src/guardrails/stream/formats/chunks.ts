/** Chat and text completions: chunks with choices, of which checks look at the first. */
import { isObject } from '@gatehouse/crds';
import { ANSWER_QUOTES, CHOICE_QUOTES, type TextWithin, textsOfMembers, textsOfMessage } from '../../extract/index.ts';
import { ChatBlocks, pathIn } from './chat-blocks.ts';
import {
  type EventTexts,
  forgetTokens,
  indexIn,
  objectsIn,
  type StreamFormat,
  slotAt,
  type TextSlot,
  type Writable,
} from './format.ts';
import { type Ended, joined, NO_SLOTS, slotsWithin } from './within.ts';

interface ChoiceTexts extends Ended {
  readonly isEnd: boolean;
}

type Of = Pick<TextSlot, 'part' | 'use'>;
type ReadChoice = (choice: Writable, part: Of) => ChoiceTexts;

export function chatFormat(): StreamFormat {
  const open = new ChatBlocks();
  const readChoice: ReadChoice = (choice, of) => readChatChoice(choice, of, open);
  return { repeats: false, read: (data) => readChunk(data, readChoice), end: () => open.inputs.endAll() };
}

export const completionFormat = (): StreamFormat => ({
  repeats: false,
  end: () => undefined,
  read: (data) =>
    readChunk(data, (choice, of) => ({ slots: slotAt(choice, 'text', of), ends: [], isEnd: hasReason(choice) })),
});

function readChunk(data: Writable, readChoice: ReadChoice): EventTexts {
  if (isObject(data['error'])) return { data, slots: [], ends: 'all' as const };
  const choices = objectsIn(data['choices']).map((choice, place): Ended => {
    const index = indexIn(choice, place);
    const part = String(index);
    const { isEnd, ...read } = readChoice(choice, { part, use: index === 0 ? 'checked' : 'shown' });
    return isEnd ? { ...read, ends: [part, ...read.ends] } : read;
  });
  const quotes = within(data, textsOfMembers(data, ANSWER_QUOTES, []), { part: '', use: 'checked' });
  return { data, ...joined([...choices, quotes]) };
}

const within = (owner: Writable, texts: readonly TextWithin[], { part, use }: Of): Ended =>
  slotsWithin(owner, texts, { use, json: pathIn(part) });

const hasReason = (choice: Writable): boolean => typeof choice['finish_reason'] === 'string';

function readChatChoice(choice: Writable, of: Of, open: ChatBlocks): ChoiceTexts {
  const { delta } = choice;
  const message = withoutMessage(choice) ?? wholeMessage(choice, of);
  const quotes = joined([message, within(choice, textsOfMembers(choice, CHOICE_QUOTES, []), of)]);
  if (!isObject(delta))
    return { ...joined([quotes, { slots: [], ends: [planOf(of.part)] }]), isEnd: hasReason(choice) };
  const blocks = objectsIn(delta['content_blocks']);
  const calls = objectsIn(delta['tool_calls']);
  const texts = contentSlots(delta, blocks, of).map((slot) => withoutTokens(slot, choice));
  const code = blocks.flatMap(codeSlots(of));
  const plans = blocks.flatMap(planSlots(of));
  const refusal = slotAt(delta, 'refusal', { ...of, part: `${of.part}.refusal` }).map((slot) =>
    withoutTokens(slot, choice),
  );
  const said = [...calls.flatMap(argumentsOf(of.part)), ...functionSlots(delta, of.part)];
  const isEnd = hasReason(choice) || calls.length + said.length > 0;
  const isSaid = isEnd || texts.some(({ text }) => text !== '');
  const beside = open.textsOf(blocks, of);
  const besides = textsOfMessage(delta, []);
  const audio = besides.some(isSpoken) ? slotAt(delta['audio'] as Writable, 'transcript', spokenOf(of)) : [];
  const own = {
    slots: [...plans, ...texts, ...refusal, ...audio, ...code, ...said],
    ends: [
      ...(isEnd ? [`${of.part}.refusal`, spokenOf(of).part] : []),
      ...code.map(({ part }) => part),
      ...(isSaid ? [planOf(of.part)] : []),
      ...open.endedBy(blocks, { part: of.part, isSaid }),
    ],
  };
  const quoted = within(
    delta,
    besides.filter((text) => !isSpoken(text)),
    of,
  );
  return { ...joined([own, beside, quoted, quotes]), isEnd };
}

/** Perplexity's chunks have the message so far beside each piece: a text that is said again each time, and is left out. */
function withoutMessage(choice: Writable): Ended | undefined {
  if (!isObject(choice['delta']) || (choice['message'] ?? null) === null) return undefined;
  delete choice['message'];
  return { ...NO_SLOTS, isChanged: true };
}

/** Of a chunk that has no piece. */
function wholeMessage({ message }: Writable, of: Of): Ended {
  if (!isObject(message)) return NO_SLOTS;
  const { content: text } = message;
  const content: TextWithin[] = typeof text === 'string' ? [{ text, path: ['content'], isJson: false }] : [];
  return within(message, [...content, ...textsOfMessage(message, [])], of);
}

/** What sound says comes in pieces. */
const isSpoken = ({ path }: TextWithin): boolean => path[0] === 'audio';
const spokenOf = ({ part, use }: Of): Of => ({ part: `${part}.audio`, use });

/** The content is a text, or a list of parts; extra `content_blocks` have the same text again, or another. */
function contentSlots(delta: Writable, blocks: readonly Writable[], of: Of): readonly TextSlot[] {
  const inBlocks = blocks.flatMap(({ delta: block }) => (isObject(block) ? slotAt(block, 'text', of) : []));
  const [content] = slotAt(delta, 'content', of);
  if (content === undefined) {
    return [...objectsIn(delta['content']).flatMap((item) => slotAt(item, 'text', of)), ...inBlocks];
  }
  if (content.text === '') return [content, ...inBlocks];
  const write = (text: string): void => {
    content.write(text);
    for (const [i, block] of inBlocks.entries()) block.write(i === 0 ? text : '');
  };
  const isSame = inBlocks.map(({ text }) => text).join('') === content.text;
  return isSame ? [{ ...content, write }] : [content, ...inBlocks];
}

/** Code that a provider has run, and what came of it: each block comes whole. */
const codeSlots =
  ({ part, use }: Of) =>
  (block: Writable, place: number): readonly TextSlot[] => {
    const { delta } = block;
    if (!isObject(delta)) return [];
    const { executable_code: code, code_execution_result: result } = delta;
    const name = `${part}.block.${indexIn(block, place)}`;
    return [
      ...(isObject(code) ? slotAt(code, 'code', { part: `${name}.code`, use }) : []),
      ...(isObject(result) ? slotAt(result, 'output', { part: `${name}.output`, use }) : []),
    ];
  };

const planOf = (part: string): string => `${part}.plan`;

/** What a model means to do with its tools, in pieces that each say so. */
const planSlots =
  ({ part, use }: Of) =>
  ({ delta }: Writable): readonly TextSlot[] =>
    isObject(delta) && delta['tool_plan'] === true ? slotAt(delta, 'thinking', { part: planOf(part), use }) : [];

const withoutTokens = (slot: TextSlot, choice: Writable): TextSlot => ({
  ...slot,
  write: (text) => {
    slot.write(text);
    forgetTokens(choice);
  },
});

/** The arguments of a function are JSON, the input of a custom tool is plain text. */
const argumentsOf =
  (part: string) =>
  (call: Writable, place: number): TextSlot[] => {
    const { function: called, custom } = call;
    const name = `${part}.call.${indexIn(call, place)}`;
    if (isObject(called)) return slotAt(called, 'arguments', { part: name, use: 'arguments' });
    return isObject(custom) ? slotAt(custom, 'input', { part: name, use: 'shown' }) : [];
  };

/** The call of a function as older models make it. */
function functionSlots({ function_call: called }: Writable, part: string): TextSlot[] {
  return isObject(called) ? slotAt(called, 'arguments', { part: `${part}.function`, use: 'arguments' }) : [];
}
