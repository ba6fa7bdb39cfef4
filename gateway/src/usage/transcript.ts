/** Seconds of a recording whose transcript does not say what it used: docs/behaviour/operations.md#transcriptions-and-translations. */
import { MAX_COUNT, NO_USAGE, type TokenUsage } from './token-usage.ts';

/** Bytes of a recording that are taken for a second: 128 kbit/s, the usual rate of MP3 and AAC. */
const BYTES_PER_SECOND = 16_000;
/** Of `verbose_json`; some providers write the number as a text. Within a JSON string its quotes would be escaped: what matches is a member. */
const DURATION = /"duration"\s*:\s*"?(\d{1,9}(?:\.\d{1,12})?)[",}\s]/;
/** The end of a segment or word. */
const END = /"end"\s*:\s*(\d{1,9}(?:\.\d{1,12})?)[,}\s]/g;
/** The end of a cue of SubRip or WebVTT, which has no hours where there are none. */
const CUE = /-->[ \t]*(?:(\d{1,4}):)?([0-5]\d):([0-5]\d)[.,](\d{3})/g;

/** The beginning and the end of a transcript. */
export interface Transcript {
  readonly head: string;
  readonly tail: string;
}

export interface RecordingUsage {
  readonly usage: TokenUsage;
  /** By the end of what is said: silence behind it is not known. */
  readonly estimated: boolean;
}

/** Undefined: the transcript has no times. */
export function findRecording({ head, tail }: Transcript): RecordingUsage | undefined {
  const duration = DURATION.exec(head)?.[1] ?? DURATION.exec(tail)?.[1];
  if (duration !== undefined) return { usage: ofSeconds(Number(duration)), estimated: false };
  const ends = [...tail.matchAll(END)].map(([, seconds]) => Number(seconds));
  const cues = [...tail.matchAll(CUE)].map(
    ([, hours = '0', minutes, seconds, millis]) =>
      (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) + Number(millis) / 1_000,
  );
  const last = Math.max(0, ...ends, ...cues);
  return last === 0 ? undefined : { usage: ofSeconds(last), estimated: true };
}

/** The usage of a recording of which only the size is known; undefined: not even that. */
export const estimateRecording = (bytes: number): TokenUsage | undefined =>
  bytes === 0 ? undefined : ofSeconds(bytes / BYTES_PER_SECOND);

const ofSeconds = (seconds: number): TokenUsage =>
  seconds <= 0 ? NO_USAGE : { ...NO_USAGE, units: { audio_second: Math.min(Math.ceil(seconds), MAX_COUNT) } };
