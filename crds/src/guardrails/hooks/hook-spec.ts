import type { CheckSpec } from '../parse-check.ts';

/** A score that is stored for the trace when a hook passed or failed. */
export interface FeedbackSpec {
  readonly value: number;
  readonly weight: number;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What follows the checks of a hook; absent members are those of the stored guardrail, else off. */
export interface HookActions {
  /** A failed hook stops the call. */
  readonly deny?: boolean | undefined;
  /** Runs after the answer; only recorded. */
  readonly async?: boolean | undefined;
  /** Each check sees what the one before made of the text. */
  readonly sequential?: boolean | undefined;
  /** A denial is an answer with status 200 whose text is the message. */
  readonly softDeny200?: boolean | undefined;
  /** `monitor` evaluates and records, and changes nothing. */
  readonly mode?: 'enforce' | 'monitor' | undefined;
  /** The text of a denial. */
  readonly message?: string | undefined;
  /** Holds a stream until the verdict. */
  readonly buffer?: boolean | undefined;
  /** Checks a stream each time so many new characters have come. */
  readonly window?: number | undefined;
  readonly onSuccess?: FeedbackSpec | undefined;
  readonly onFail?: FeedbackSpec | undefined;
}

/** One hook of a config, whatever its spelling was. */
export interface HookSpec extends HookActions {
  readonly id?: string | undefined;
  readonly type: 'guardrail' | 'mutator';
  /** The slug of a stored guardrail; then there are no checks. */
  readonly ref?: string | undefined;
  readonly checks?: readonly CheckSpec[] | undefined;
  readonly versionId?: string | undefined;
}
