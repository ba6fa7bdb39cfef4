import { type Answer, composeAnswers, splitPieces, toPrompt } from '../answer/index.ts';
import { admit } from '../answer-size.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readObject, readString, readStrings } from '../json.ts';
import { type Frame, json, type Reply } from '../reply.ts';
import { DONE_FRAME, dataFrame, SSE_HEADERS } from '../sse.ts';
import { openaiErrorFrame, refuseField } from './errors.ts';
import { toUsage } from './usage.ts';

const MAX_CHOICES = 128;

interface Envelope {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** The older text completions: `n` choices for each prompt. */
export function answerCompletion(exchange: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  const texts = readPrompts(body['prompt']);
  const perPrompt = Math.max(1, readCount(body, 'n') ?? 1);
  if (perPrompt * texts.length > MAX_CHOICES) return refuseField('n', `at most ${MAX_CHOICES} choices`);
  const options = { maxTokens: readCount(body, 'max_tokens'), stop: readStrings(body, 'stop') };
  const echo = body['echo'] === true;
  const answers = texts.flatMap((text) => {
    const prompt = toPrompt([{ role: 'user', text }], options);
    return composeAnswers(prompt, exchange.controls, perPrompt).map((answer) =>
      echo ? { ...answer, text: text + answer.text } : answer,
    );
  });
  admit(answers.reduce((sum, answer) => sum + answer.text.length, 0));
  const { seed } = exchange;
  const envelope: Envelope = { id: seed.id('cmpl-'), created: seed.createdSeconds, model };
  const usage = { ...toUsage(answers), ...sumPrompts(answers, perPrompt) };
  const headers = { 'x-request-id': seed.id('req_') };
  if (body['stream'] !== true) return json(toCompletion(envelope, answers.map(toChoice), usage), headers);
  const withUsage = readObject(body, 'stream_options')?.['include_usage'] === true;
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, ...headers },
    frames: completionFrames(envelope, answers, withUsage ? usage : undefined),
    errorFrame: openaiErrorFrame,
  };
}

type Usage = ReturnType<typeof toUsage>;

/** Each prompt counts once, however many choices it got. */
function sumPrompts(answers: readonly Answer[], perPrompt: number) {
  const prompt = answers.reduce((sum, answer) => sum + answer.tokens.prompt, 0) / perPrompt;
  const completion = answers.reduce((sum, answer) => sum + answer.tokens.completion, 0);
  return { prompt_tokens: prompt, total_tokens: prompt + completion };
}

/** A text, several texts, one list of token ids or several such lists. */
function readPrompts(prompt: unknown): readonly string[] {
  if (!Array.isArray(prompt)) return [typeof prompt === 'string' ? prompt : ''];
  if (prompt.every((item) => typeof item === 'number')) return [prompt.join(' ')];
  return prompt.map((item) => (Array.isArray(item) ? item.join(' ') : String(item)));
}

function toChoice(answer: Answer, index: number) {
  return { index, text: answer.text, logprobs: null, finish_reason: toFinishReason(answer) };
}

/** Text completions have no tools, so an answer ends in one of two ways. */
function toFinishReason(answer: Answer): 'stop' | 'length' {
  return answer.end === 'length' ? 'length' : 'stop';
}

type Choice = Omit<ReturnType<typeof toChoice>, 'finish_reason'> & { finish_reason: 'stop' | 'length' | null };

function toCompletion(envelope: Envelope, choices: readonly Choice[], usage?: Usage | null) {
  return {
    id: envelope.id,
    object: 'text_completion' as const,
    created: envelope.created,
    model: envelope.model,
    system_fingerprint: 'fp_mock',
    choices,
    ...(usage === undefined ? {} : { usage }),
  };
}

function completionFrames(envelope: Envelope, answers: readonly Answer[], usage: Usage | undefined): readonly Frame[] {
  const others = usage === undefined ? undefined : null;
  const frames = answers.flatMap((answer, index) => [
    ...splitPieces(answer.text).map((text) =>
      dataFrame(toCompletion(envelope, [{ index, text, logprobs: null, finish_reason: null }], others), 'token'),
    ),
    dataFrame(toCompletion(envelope, [{ ...toChoice(answer, index), text: '' }], others)),
  ]);
  if (usage !== undefined) frames.push(dataFrame(toCompletion(envelope, [], usage)));
  frames.push(DONE_FRAME);
  return frames;
}
