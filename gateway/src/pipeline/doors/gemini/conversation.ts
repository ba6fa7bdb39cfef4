/** Contents of the Gemini API as messages of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { memberOf, objectOf, textIn } from './members.ts';

const ROLES: ReadonlySet<unknown> = new Set(['user', 'model', 'function']);

/** The system instruction, then the contents. Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function toChatMessages(given: JsonObject): readonly object[] {
  const contents = memberOf(given, 'contents');
  if (!Array.isArray(contents)) return refuseShape('contents', 'a list of contents');
  const calls = new OpenCalls();
  return [
    ...systemMessages(memberOf(given, 'systemInstruction')),
    ...contents.flatMap((content: unknown, i) => toMessages(content, `contents[${i}]`, calls)),
  ];
}

function systemMessages(given: unknown): readonly object[] {
  if (given === undefined || given === null) return [];
  const text = typeof given === 'string' ? given : textsOf(given, 'systemInstruction').join('\n');
  return text === '' ? [] : [{ role: 'system', content: text }];
}

/** The texts of a content, for places that take nothing else. */
export function textsOf(content: unknown, path: string): readonly string[] {
  return partsOf(content, path).map(
    (part, i) => textIn(part, 'text') ?? refuseParameter(`${path}.parts[${i}]`, 'only texts are taken here'),
  );
}

function partsOf(content: unknown, path: string): readonly JsonObject[] {
  const parts = isObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts) || !parts.every(isObject)) return refuseShape(`${path}.parts`, 'a list of parts');
  return parts;
}

function toMessages(content: unknown, path: string, calls: OpenCalls): readonly object[] {
  const parts = partsOf(content, path);
  const role = (isObject(content) ? content['role'] : undefined) ?? 'user';
  if (!ROLES.has(role)) return refuseShape(`${path}.role`, 'user or model');
  return role === 'model' ? [modelMessage(parts, path, calls)] : userMessages(parts, path, calls);
}

/** Results of tools come first, each in a message of its own: nothing may stand between them and their calls. */
function userMessages(parts: readonly JsonObject[], path: string, calls: OpenCalls): readonly object[] {
  const isResult = (part: JsonObject): boolean => objectOf(part, 'functionResponse') !== undefined;
  const results = parts.filter(isResult).map((part) => toResult(objectOf(part, 'functionResponse') ?? {}, calls));
  const said = parts.flatMap((part, i) => (isResult(part) ? [] : toParts(part, `${path}.parts[${i}]`)));
  return [...results, ...(said.length > 0 || results.length === 0 ? [{ role: 'user', content: plain(said) }] : [])];
}

function toResult(result: JsonObject, calls: OpenCalls): object {
  const content = JSON.stringify(memberOf(result, 'response') ?? {});
  return { role: 'tool', tool_call_id: calls.close(textIn(result, 'id'), textIn(result, 'name') ?? ''), content };
}

/** A single text is the content itself. */
function plain(parts: readonly JsonObject[]): unknown {
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && first['type'] === 'text' ? first['text'] : parts;
}

/** Texts and calls; thoughts of earlier turns are of no use to other models. */
function modelMessage(parts: readonly JsonObject[], path: string, calls: OpenCalls): object {
  const said: string[] = [];
  const called: object[] = [];
  for (const [i, part] of parts.entries()) {
    const call = objectOf(part, 'functionCall');
    const text = textIn(part, 'text');
    if (call !== undefined) called.push(toCall(part, call, calls));
    else if (text === undefined) refuseParameter(`${path}.parts[${i}]`, 'a model has said texts and calls alone here');
    else if (part['thought'] !== true) said.push(text);
  }
  const text = said.join('');
  const content = text === '' && called.length > 0 ? null : text;
  return { role: 'assistant', content, ...(called.length === 0 ? {} : { tool_calls: called }) };
}

function toCall(part: JsonObject, call: JsonObject, calls: OpenCalls): object {
  const name = textIn(call, 'name') ?? '';
  return {
    id: calls.open(textIn(call, 'id'), name),
    type: 'function',
    function: withoutAbsent({
      name,
      arguments: JSON.stringify(memberOf(call, 'args') ?? {}),
      thought_signature: textIn(part, 'thoughtSignature'),
    }),
  };
}

/** Calls that wait for their result, which clients may name by the function alone. */
class OpenCalls {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #count = 0;

  open(given: string | undefined, name: string): string {
    this.#count += 1;
    const id = given ?? `call_${this.#count}`;
    this.#open.push({ id, name });
    return id;
  }

  close(given: string | undefined, name: string): string {
    const at = this.#open.findIndex((call) => (given === undefined ? call.name === name : call.id === given));
    const [found] = at < 0 ? [] : this.#open.splice(at, 1);
    return found?.id ?? given ?? name;
  }
}

function toParts(part: JsonObject, path: string): readonly JsonObject[] {
  const text = textIn(part, 'text');
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  const inline = objectOf(part, 'inlineData');
  if (inline !== undefined) return [toInline(inline, path)];
  const linked = objectOf(part, 'fileData');
  if (linked !== undefined) return [toLinked(linked, path)];
  return refuseParameter(
    path,
    'a chat completion has no such part; texts, inlineData, fileData and functionResponse are taken',
  );
}

const IMAGE = /^image\//;
const AUDIO = /^audio\/(?:x-)?([\w.+-]+)$/;

function toInline(inline: JsonObject, path: string): JsonObject {
  const type = textIn(inline, 'mimeType') ?? refuseShape(`${path}.inlineData.mimeType`, 'a media type');
  const data = textIn(inline, 'data') ?? refuseShape(`${path}.inlineData.data`, 'base64');
  const url = `data:${type};base64,${data}`;
  if (IMAGE.test(type)) return { type: 'image_url', image_url: { url } };
  const [, format] = AUDIO.exec(type) ?? [];
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } };
  return { type: 'file', file: { filename: textIn(inline, 'displayName') ?? 'document', file_data: url } };
}

function toLinked(linked: JsonObject, path: string): JsonObject {
  const url = textIn(linked, 'fileUri') ?? refuseShape(`${path}.fileData.fileUri`, 'a URL');
  const type = textIn(linked, 'mimeType');
  if (type !== undefined && IMAGE.test(type)) return { type: 'image_url', image_url: { url, mime_type: type } };
  return { type: 'file', file: withoutAbsent({ file_url: url, mime_type: type }) };
}
