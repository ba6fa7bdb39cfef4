/** Usage in a row: the columns have the sums, the decision has what else a price may depend on. */
import type { LogModality, LogRow, LogUsage } from '@gatehouse/crds/logs';
import type { AttemptFacts, ImagesAsked } from '../../record/index.ts';
import { type ModalityTokens, NO_USAGE, type TokenUsage } from '../../usage/index.ts';

/** Units of one answer that are kept. */
const MAX_UNITS = 24;
/** Of units, and of qualities and sizes of images: what is written otherwise may be any text of a provider or a client. */
const NAME = /^[\w.-]{1,64}$/;

/** Undefined: the cost of the attempt cannot be computed from its row. */
export function toLogUsage({ usage, cost, images }: Pick<AttemptFacts, 'usage' | 'cost' | 'images'>) {
  if (usage === undefined || cost === undefined || cost.isGiven === true) return undefined;
  const { cacheWrite, cacheWriteHour, text, audio, image, units } = usage;
  const names = Object.keys(units);
  const texts = [...names, images?.quality, images?.size].filter((each) => each !== undefined);
  if (names.length > MAX_UNITS || !texts.every((each) => NAME.test(each))) return undefined;
  const kept: LogUsage = {
    ...(cacheWrite > 0 && { cache_write: cacheWrite }),
    ...(cacheWriteHour > 0 && { cache_write_hour: cacheWriteHour }),
    ...(text.output > 0 && { text_output: text.output }),
    ...(isUsed(audio) && { audio }),
    ...(isUsed(image) && { image }),
    ...(names.length > 0 && { units }),
    ...(images && { images }),
  };
  return kept;
}

const isUsed = ({ input, output, cached }: LogModality): boolean => input + output + cached > 0;

type UsageColumns = Pick<
  LogRow,
  'input_tokens' | 'output_tokens' | 'total_tokens' | 'cached_tokens' | 'reasoning_tokens'
>;

export interface UsedInRow {
  readonly usage: TokenUsage;
  readonly images: ImagesAsked | undefined;
}

/** What `toLogUsage` was given, as far as prices depend on it. */
export const fromLogUsage = (row: UsageColumns, { images, ...kept }: LogUsage): UsedInRow => ({
  usage: {
    input: row.input_tokens,
    output: row.output_tokens,
    total: row.total_tokens,
    cached: row.cached_tokens,
    reasoning: row.reasoning_tokens,
    cacheWrite: kept.cache_write ?? 0,
    cacheWriteHour: kept.cache_write_hour ?? 0,
    text: { ...NO_USAGE.text, output: kept.text_output ?? 0 },
    audio: kept.audio ?? NO_TOKENS,
    image: kept.image ?? NO_TOKENS,
    units: kept.units ?? {},
  },
  images: images && {
    count: images.count,
    ...(images.quality === undefined ? {} : { quality: images.quality }),
    ...(images.size === undefined ? {} : { size: images.size }),
  },
});

const NO_TOKENS: ModalityTokens = NO_USAGE.audio;
