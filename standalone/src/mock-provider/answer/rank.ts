export interface Rank {
  /** Position in the given texts. */
  readonly index: number;
  /** From 0 to 1. */
  readonly relevance_score: number;
}

/** The best `limit` texts by the share of the words of the query that they have; equal ones stay in their order. */
export function rankTexts(query: string, texts: readonly string[], limit = texts.length): readonly Rank[] {
  const words = wordsOf(query);
  return texts
    .map((text, index) => ({ index, relevance_score: words.size === 0 ? 0 : shareOf(words, wordsOf(text)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, limit);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Looks at the words of the text, not at those of the query: the same long query is compared with every text. */
const shareOf = (wanted: ReadonlySet<string>, found: ReadonlySet<string>): number =>
  [...found].filter((word) => wanted.has(word)).length / wanted.size;
