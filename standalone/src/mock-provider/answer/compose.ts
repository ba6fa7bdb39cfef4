import { admit, RequestTooLarge, toJsonInside } from '../answer-size.ts';
import type { Controls } from '../controls/index.ts';
import type { Prompt, Tool } from './prompt.ts';
import { sampleSchema } from './schema-sample.ts';
import { countTokens, takeTokens } from './tokens.ts';
import { readToldInput } from './told-input.ts';

// Bounds the answer for a prompt of megabytes.
const MAX_REPEATED_CHARACTERS = 4_000;
const MAX_CALLS = 16;
const MAX_TOOLS = 1_024;
/** Of the user's text, in which names of tools and their input are looked for. */
const MAX_READ_CHARACTERS = 65_536;
const FILLER = ' mock';

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  /** The input as JSON text. */
  readonly json: string;
}

export interface Answer {
  /** Empty unless the prompt asked for it. */
  readonly thinking: string;
  /** Empty when there are calls. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly end: 'stop' | 'length' | 'calls';
  /** The stop sequence that ended the text. */
  readonly stoppedBy: string | undefined;
  readonly tokens: { readonly prompt: number; readonly thinking: number; readonly completion: number };
}

type AnswerControls = Pick<Controls, 'text' | 'responseBytes'>;

/**
 * The answer to a prompt: calls of the offered tools, JSON that fits the requested schema, or a text that repeats the user's.
 * Tokens are a quarter of the characters, rounded up; thinking counts as completion.
 */
export function composeAnswer(prompt: Prompt, controls: AnswerControls): Answer {
  return compose(prompt, controls, callTools(prompt, controls), 0);
}

/** So many answers to one prompt. */
export function composeAnswers(prompt: Prompt, controls: AnswerControls, choices: number): readonly Answer[] {
  const calls = callTools(prompt, controls);
  return Array.from({ length: choices }, (_, choice) => {
    const answer = compose(prompt, controls, calls, choice);
    admit(answer.text.length * choices);
    return answer;
  });
}

function compose(prompt: Prompt, controls: AnswerControls, calls: readonly ToolCall[], choice: number): Answer {
  const thinking = prompt.options.thinks ? think(prompt) : '';
  const promptTokens = countTokens(prompt.characters);
  const thinkingTokens = countTokens(thinking.length);
  if (calls.length > 0) {
    const callTokens = calls.reduce((sum, call) => sum + countTokens(call.name.length + call.json.length), 0);
    const tokens = { prompt: promptTokens, thinking: thinkingTokens, completion: thinkingTokens + callTokens };
    return { thinking, text: '', calls, end: 'calls', stoppedBy: undefined, tokens };
  }
  const whole = pad(write(prompt, controls, choice), prompt, controls);
  const { text, end, stoppedBy } = limit(whole, prompt, thinkingTokens);
  const completion = thinkingTokens + countTokens(text.length);
  const tokens = { prompt: promptTokens, thinking: thinkingTokens, completion };
  return { thinking, text, calls, end, stoppedBy, tokens };
}

function think(prompt: Prompt): string {
  return `The user wrote ${prompt.userText.length} characters. I am a mock, so I repeat them.`;
}

function write(prompt: Prompt, controls: AnswerControls, choice: number): string {
  if (controls.text !== undefined) return controls.text;
  const { json } = prompt.options;
  if (json !== undefined) return toJsonInside(writeJson(json.schema, prompt));
  if (prompt.toolResult !== undefined) return `Mock answer from the tool result: ${repeat(prompt.toolResult)}`;
  const images = prompt.images === 0 ? '' : ` [${prompt.images} ${prompt.images === 1 ? 'image' : 'images'}]`;
  const suffix = choice === 0 ? '' : ` (choice ${choice + 1})`;
  return `Mock answer to: ${repeat(prompt.userText)}${images}${suffix}`;
}

function writeJson(schema: unknown, prompt: Prompt): unknown {
  if (schema !== undefined) return sampleSchema(schema, prompt.userText);
  return { answer: `Mock answer to: ${repeat(prompt.toolResult ?? prompt.userText)}` };
}

function repeat(text: string): string {
  return text.length <= MAX_REPEATED_CHARACTERS ? text : `${takeTokens(text, MAX_REPEATED_CHARACTERS / 4)}…`;
}

function pad(text: string, prompt: Prompt, { responseBytes }: AnswerControls): string {
  if (responseBytes === undefined) return text;
  const missing = responseBytes - Buffer.byteLength(text);
  if (missing <= 0) return text;
  const filler = prompt.options.json === undefined ? FILLER : ' '; // spaces leave JSON valid
  return text + filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing);
}

type Limited = Pick<Answer, 'text' | 'end' | 'stoppedBy'>;

function limit(whole: string, { options }: Prompt, thinkingTokens: number): Limited {
  let text = whole;
  let stoppedBy: string | undefined;
  for (const sequence of options.stop ?? []) {
    const at = sequence === '' ? -1 : text.indexOf(sequence);
    if (at >= 0) {
      text = text.slice(0, at);
      stoppedBy = sequence;
    }
  }
  const room = Math.max(0, (options.maxTokens ?? Number.POSITIVE_INFINITY) - thinkingTokens);
  if (countTokens(text.length) <= room) return { text, end: 'stop', stoppedBy };
  return { text: takeTokens(text, room), end: 'length', stoppedBy: undefined };
}

/**
 * Tools that the last user text names with their input are called, else those that it names, else the first one. A tool result is answered
 * with text. Of a long text the beginning and the end are looked at.
 */
function callTools({ options, userText, toolResult }: Prompt, controls: AnswerControls): readonly ToolCall[] {
  const { tools = [], toolChoice = 'auto', parallelCalls = true } = options;
  if (tools.length > MAX_TOOLS) throw new RequestTooLarge(`a request has at most ${MAX_TOOLS} tools`);
  if (toolChoice === 'none' || toolResult !== undefined || tools.length === 0) return [];
  const text = endsOf(userText);
  if (typeof toolChoice === 'object') {
    return callAll(
      tools.filter((tool) => tool.name === toolChoice.name),
      text,
      1,
    );
  }
  if (toolChoice === 'auto' && controls.text !== undefined) return [];
  const named = tools.filter((tool) => text.includes(tool.name));
  if (named.length === 0) return callAll(tools, text, 1);
  const told = named.filter((tool) => readToldInput(text, tool.name) !== undefined);
  return callAll(told.length > 0 ? told : named, text, parallelCalls ? MAX_CALLS : 1);
}

function endsOf(text: string): string {
  if (text.length <= MAX_READ_CHARACTERS) return text;
  return `${text.slice(0, MAX_READ_CHARACTERS / 2)}\n${text.slice(-MAX_READ_CHARACTERS / 2)}`;
}

function callAll(tools: readonly Tool[], text: string, limit: number): readonly ToolCall[] {
  let characters = 0;
  return tools.slice(0, limit).map(({ name, schema }) => {
    const input = readToldInput(text, name) ?? sampleSchema(schema ?? { type: 'object' }, text);
    const json = toJsonInside(input);
    characters += name.length + json.length;
    admit(characters);
    return { name, input, json };
  });
}
