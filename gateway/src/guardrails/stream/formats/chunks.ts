/** Chat and text completions: chunks with choices, of which checks look at the first. */
import { isObject } from '@gatehouse/crds';
import { forgetTokens, indexIn, objectsIn, type StreamFormat, slotAt, type TextSlot, type Writable } from './format.ts';

interface ChoiceTexts {
  readonly slots: readonly TextSlot[];
  readonly isEnd: boolean;
  /** Parts beside the choice itself that have no more text. */
  readonly ends?: readonly string[];
}

type ReadChoice = (choice: Writable, part: Pick<TextSlot, 'part' | 'use'>) => ChoiceTexts;

export const chatFormat: StreamFormat = { repeats: false, read: (data) => readChunk(data, readChatChoice) };

export const completionFormat: StreamFormat = {
  repeats: false,
  read: (data) => readChunk(data, (choice, of) => ({ slots: slotAt(choice, 'text', of), isEnd: hasReason(choice) })),
};

function readChunk(data: Writable, readChoice: ReadChoice) {
  if (isObject(data['error'])) return { data, slots: [], ends: 'all' as const };
  const slots: TextSlot[] = [];
  const ends: string[] = [];
  for (const [place, choice] of objectsIn(data['choices']).entries()) {
    const index = indexIn(choice, place);
    const part = String(index);
    const read = readChoice(choice, { part, use: index === 0 ? 'checked' : 'shown' });
    slots.push(...read.slots);
    if (read.isEnd) ends.push(part);
    if (read.ends !== undefined) ends.push(...read.ends);
  }
  return { data, slots, ends };
}

const hasReason = (choice: Writable): boolean => typeof choice['finish_reason'] === 'string';

function readChatChoice(choice: Writable, of: Pick<TextSlot, 'part' | 'use'>): ChoiceTexts {
  const { delta } = choice;
  if (!isObject(delta)) return { slots: [], isEnd: hasReason(choice), ends: [planOf(of.part)] };
  const blocks = objectsIn(delta['content_blocks']);
  const calls = objectsIn(delta['tool_calls']);
  const texts = contentSlots(delta, blocks, of).map((slot) => withoutTokens(slot, choice));
  const code = blocks.flatMap(codeSlots(of));
  const plans = blocks.flatMap(planSlots(of));
  const said = [...calls.flatMap(argumentsOf(of.part)), ...functionSlots(delta, of.part)];
  const isEnd = hasReason(choice) || calls.length + said.length > 0;
  const endsPlan = isEnd || texts.some(({ text }) => text !== '');
  return {
    slots: [...plans, ...texts, ...code, ...said],
    isEnd,
    ends: [...code.map(({ part }) => part), ...(endsPlan ? [planOf(of.part)] : [])],
  };
}

/** The content is a text, or a list of parts; extra `content_blocks` have the same text again, or another. */
function contentSlots(
  delta: Writable,
  blocks: readonly Writable[],
  of: Pick<TextSlot, 'part' | 'use'>,
): readonly TextSlot[] {
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
  ({ part, use }: Pick<TextSlot, 'part' | 'use'>) =>
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
  ({ part, use }: Pick<TextSlot, 'part' | 'use'>) =>
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
