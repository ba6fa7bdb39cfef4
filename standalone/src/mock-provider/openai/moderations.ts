import type { Exchange } from '../exchange.ts';
import { type JsonObject, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { readContent } from './content.ts';
import { refuseField } from './errors.ts';

const CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;
const MAX_INPUTS = 2_048;
const FLAGGED_SCORE = 0.99;
const CLEAR_SCORE = 0.0001;

/** Flags a category when the text contains its name, such as `violence` or `hate/threatening`. */
export function answerModeration({ seed }: Exchange, body: JsonObject): Reply {
  const texts = readTexts(body['input']);
  if (texts.length === 0) return refuseField('input', 'input is required');
  if (texts.length > MAX_INPUTS) return refuseField('input', `input must have at most ${MAX_INPUTS} texts`);
  const model = readString(body, 'model') ?? 'omni-moderation-latest';
  return json({ id: seed.id('modr-'), model, results: texts.map(moderate) }, { 'x-request-id': seed.id('req_') });
}

function readTexts(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input)) return [];
  // A list of parts is one multimodal input, a list of texts are several inputs.
  return input.every((item) => typeof item === 'string') ? input : [readContent(input).text];
}

function moderate(text: string) {
  const lower = text.toLowerCase();
  const flagged = new Set<string>(CATEGORIES.filter((category) => lower.includes(category)));
  const byCategory = <T>(judge: (category: string) => T) =>
    Object.fromEntries(CATEGORIES.map((category) => [category, judge(category)]));
  return {
    flagged: flagged.size > 0,
    categories: byCategory((category) => flagged.has(category)),
    category_scores: byCategory((category) => (flagged.has(category) ? FLAGGED_SCORE : CLEAR_SCORE)),
    category_applied_input_types: byCategory(() => ['text']),
  };
}
