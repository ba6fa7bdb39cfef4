/** What a model has said, as parts of the Gemini API. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { parseDataUrl } from '../../../wire/openai/index.ts';
import { textOf, thinkingOf } from '../chat-parts.ts';

/** Of a message or of a piece of one, without its calls. Blocks have all there is, in its order, where their text is that of the content. */
export function saidParts(message: JsonObject): readonly JsonObject[] {
  const blocks = objectsAt(message, 'content_blocks').map((block) => objectAt(block, 'delta') ?? block);
  const text = textOf(message);
  if (blocks.length === 0) return [...thoughtOf(thinkingOf(message)), ...plainOf(text)];
  const isSame = blocks.map((block) => textAt(block, 'text') ?? '').join('') === text;
  const parts = blocks.flatMap((block) => (isSame || textAt(block, 'text') === undefined ? toParts(block) : []));
  return isSame ? joined(parts) : [...joined(parts), ...plainOf(text)];
}

const thoughtOf = (text: string): readonly JsonObject[] => (text === '' ? [] : [{ text, thought: true }]);
const plainOf = (text: string): readonly JsonObject[] => (text === '' ? [] : [{ text }]);

function toParts(block: JsonObject): readonly JsonObject[] {
  const thoughtSignature = textAt(block, 'thought_signature') ?? textAt(block, 'signature');
  const part = ownPart(block);
  if (part !== undefined) return [withoutAbsent({ ...part, thoughtSignature })];
  return thoughtSignature === undefined ? [] : [{ text: '', thought: true, thoughtSignature }];
}

function ownPart(block: JsonObject): JsonObject | undefined {
  const thinking = textAt(block, 'thinking');
  if (thinking !== undefined) return { text: thinking, thought: true };
  const executableCode = objectAt(block, 'executable_code');
  if (executableCode !== undefined) return { executableCode };
  const codeExecutionResult = objectAt(block, 'code_execution_result');
  if (codeExecutionResult !== undefined) return { codeExecutionResult };
  const url = textAt(objectAt(block, 'image_url'), 'url');
  if (url !== undefined) return withoutAbsent({ ...toMedia(url), thought: block['thought'] === true || undefined });
  const text = textAt(block, 'text');
  return text === undefined || (text === '' && block['thought_signature'] === undefined) ? undefined : { text };
}

function toMedia(url: string): JsonObject {
  const inline = parseDataUrl(url);
  return inline === undefined ? { fileData: { fileUri: url } } : { inlineData: { ...inline } };
}

/** The signature of a thought comes behind it. */
function joined(parts: readonly JsonObject[]): readonly JsonObject[] {
  const list: JsonObject[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    const isRest = part['thought'] === true && part['text'] === '' && part['thoughtSignature'] !== undefined;
    if (isRest && last?.['thought'] === true && last['thoughtSignature'] === undefined)
      list[list.length - 1] = { ...last, thoughtSignature: part['thoughtSignature'] };
    else list.push(part);
  }
  return list;
}
