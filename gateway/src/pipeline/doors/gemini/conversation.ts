/** Contents of the Gemini API as messages of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { toModelPart, toUserParts } from './given-parts.ts';
import { memberOf, objectOf, textIn } from './members.ts';
import { checkPart } from './shapes.ts';

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
  for (const [i, part] of parts.entries()) checkPart(part, `${path}.parts[${i}]`);
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
  const said = parts.flatMap((part, i) => (isResult(part) ? [] : toUserParts(part, `${path}.parts[${i}]`)));
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

/** What was said and the calls; thoughts of earlier turns are of no use to other models. */
function modelMessage(parts: readonly JsonObject[], path: string, calls: OpenCalls): object {
  const said: JsonObject[] = [];
  const called: object[] = [];
  for (const [i, part] of parts.entries()) {
    const call = objectOf(part, 'functionCall');
    if (call !== undefined) called.push(toCall(part, { call, path: `${path}.parts[${i}]` }, calls));
    else if (part['thought'] !== true) said.push(...toModelPart(part, `${path}.parts[${i}]`));
  }
  const content = said.length === 0 && called.length > 0 ? null : contentOf(said);
  return { role: 'assistant', content, ...(called.length === 0 ? {} : { tool_calls: called }) };
}

/** Nothing but texts is one text. */
function contentOf(parts: readonly JsonObject[]): unknown {
  const texts = parts.filter((part) => part['type'] === 'text' && part['thought_signature'] === undefined);
  return texts.length === parts.length ? texts.map(({ text }) => text).join('') : parts;
}

interface Called {
  readonly call: JsonObject;
  /** Of its part. */
  readonly path: string;
}

function toCall(part: JsonObject, { call, path }: Called, calls: OpenCalls): object {
  const name = textIn(call, 'name') ?? refuseShape(`${path}.functionCall.name`, 'a text');
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
