/** Which traces are exported. Source: OpenTelemetry specification, trace SDK, "Sampling". */

export interface SamplerOptions {
  readonly name:
    | 'always_on'
    | 'always_off'
    | 'traceidratio'
    | 'parentbased_always_on'
    | 'parentbased_always_off'
    | 'parentbased_traceidratio';
  /** Share of traces, from 0 to 1. */
  readonly ratio: number;
}

/** `parent`: what the sender of a request has decided; undefined: there is none, or it says nothing. */
type Sample = (traceId: string, parent: boolean | undefined) => boolean;

const PARENT_BASED = 'parentbased_';
/** Hex digits at the end of a trace id that are random by W3C Trace Context Level 2, and how many values they have. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 16 ** RANDOM_DIGITS;

/** The same decision for a trace in every process that exports the same share. */
export function createSampler({ name, ratio }: SamplerOptions): Sample {
  if (name.startsWith(PARENT_BASED)) {
    const root = createRoot(name.slice(PARENT_BASED.length), ratio);
    return (traceId, parent) => parent ?? root(traceId);
  }
  return createRoot(name, ratio);
}

function createRoot(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_off') return () => false;
  if (name === 'always_on') return () => true;
  const least = (1 - ratio) * RANDOM_VALUES;
  return (traceId) => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= least;
}
