import {
  characterCount as characterCountEntry,
  sentenceCount as sentenceCountEntry,
  wordCount as wordCountEntry,
} from '@gatehouse/crds/guardrails';
import { emptyText, excerptOf, LaterData } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';

export const sentenceCount = defineCheck(sentenceCountEntry, ({ minSentences, maxSentences, not }) => ({ text }) => {
  const count = countSentenceEnds(text);
  const range = { noun: 'sentences', count, min: minSentences, max: maxSentences, not };
  return rangeAnswer(text, range, { sentenceCount: count, minCount: minSentences, maxCount: maxSentences });
});

export const wordCount = defineCheck(wordCountEntry, ({ minWords, maxWords, not }) => ({ text }) => {
  const within = wordsWithin(text, minWords, maxWords);
  if (within === 'none') return emptyText();
  return new LaterData((within === 'in') !== not, () => {
    const count = countWords(text);
    const range = { noun: 'words', count, min: minWords, max: maxWords, not };
    return rangeAnswer(text, range, { wordCount: count, minWords, maxWords }).data;
  });
});

export const characterCount = defineCheck(
  characterCountEntry,
  ({ minCharacters, maxCharacters, not }) =>
    ({ text }) => {
      if (text === '') return emptyText();
      const range = { noun: 'characters', count: text.length, min: minCharacters, max: maxCharacters, not };
      return rangeAnswer(text, range, { characterCount: text.length, minCharacters, maxCharacters });
    },
);

interface Range {
  readonly noun: string;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly not: boolean;
}

function rangeAnswer(text: string, { noun, count, min, max, not }: Range, counts: object): CheckAnswer {
  const verdict = (count >= min && count <= max) !== not;
  return new LaterData(verdict, () => {
    const explanation = `The text has ${count} ${noun}; it must ${not ? 'not ' : ''}have ${min} to ${max}.`;
    return { ...counts, not, verdict, explanation, textExcerpt: excerptOf(text) };
  });
}

/** Each mark counts: "3.14" is one, "..." are three. */
function countSentenceEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2e || code === 0x21 || code === 0x3f) count += 1;
  }
  return count;
}

/** White space as `\s` of JavaScript. */
function countWords(text: string): number {
  let count = 0;
  let before = 1;
  // Numbers instead of conditions: where words begin and end cannot be predicted.
  for (let at = 0; at < text.length; at += 1) {
    const space = isSpace(text.charCodeAt(at));
    count += before & (space ^ 1);
    before = space;
  }
  return count;
}

/** Characters that are counted between two looks at whether more can matter. */
const STEP = 64;

/** Whether there are so many words; `none`: there is no word. Most texts need not be read to their end for that. */
function wordsWithin(text: string, min: number, max: number): 'in' | 'out' | 'none' {
  const { length } = text;
  const least = Math.max(min, 1);
  let count = 0;
  let before = 1;
  for (let from = 0; from < length; from += STEP) {
    const most = count + Math.ceil((length - from) / 2); // every second character begins a word
    if (count >= least && most <= max) return 'in';
    if (count > 0 && count > max) return 'out';
    const end = Math.min(length, from + STEP);
    for (let at = from; at < end; at += 1) {
      const space = isSpace(text.charCodeAt(at));
      count += before & (space ^ 1);
      before = space;
    }
  }
  if (count === 0) return 'none';
  return count >= min && count <= max ? 'in' : 'out';
}

const isSpace = (code: number): number => (code < 0xa0 ? (NARROW_SPACES[code] ?? 0) : Number(WIDE_SPACES.has(code)));

const NARROW_SPACES: Readonly<Uint8Array> = Uint8Array.from({ length: 0xa0 }, (_, code) =>
  Number(code === 0x20 || (code >= 0x09 && code <= 0x0d)),
);

const WIDE_SPACES: ReadonlySet<number> = new Set([
  ...[0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
]);
