import { keyOf } from '../client/index.ts';
import { type Clock, systemClock } from '../time/index.ts';
import type { EventDraft, EventRecorder } from './recorder.ts';

export interface PatientRecorderOptions {
  readonly recorder: EventRecorder;
  /** Reasons of problems that mostly end by themselves: objects are applied in any order. */
  readonly reasons: ReadonlySet<string>;
  readonly holdMs: number;
  readonly clock?: Clock;
}

/** Warnings held at the same time; beyond them the oldest is recorded at once. */
const MAX_HELD = 1_000;

type About = Pick<EventDraft, 'regarding' | 'action'>;

interface Held {
  readonly draft: EventDraft;
  readonly timer: Disposable;
}

/**
 * A recorder that holds warnings of some reasons back, and drops those whose problem has ended by then together with the news of
 * its end.
 */
export function createPatientRecorder(options: PatientRecorderOptions): EventRecorder {
  const { recorder, reasons, holdMs, clock = systemClock } = options;
  const held = new Map<string, Held>();
  const idOf = ({ regarding: { metadata, kind }, action }: About): string =>
    `${action} ${metadata.uid ?? `${kind}/${keyOf(metadata)}`}`;

  const release = (id: string): EventDraft | undefined => {
    const found = held.get(id);
    found?.timer[Symbol.dispose]();
    held.delete(id);
    return found?.draft;
  };
  const publish = (id: string): void => {
    const draft = release(id);
    if (draft !== undefined) recorder.record(draft);
  };
  const hold = (id: string, draft: EventDraft): void => {
    const present = held.get(id);
    if (present !== undefined) {
      held.set(id, { ...present, draft }); // held since the object first had a problem
      return;
    }
    held.set(id, { draft, timer: clock.schedule(holdMs, () => publish(id)) });
    const [oldest] = held.keys();
    if (held.size > MAX_HELD && oldest !== undefined) publish(oldest);
  };

  return {
    record: (draft) => {
      const id = idOf(draft);
      if (draft.type === 'Warning' && reasons.has(draft.reason)) {
        hold(id, draft);
        return;
      }
      const unseen = release(id);
      if (unseen === undefined || draft.type === 'Warning') recorder.record(draft);
    },
    settle: (about) => {
      release(idOf(about));
      recorder.settle(about);
    },
    run: async (signal) => {
      await recorder.run(signal);
      for (const id of [...held.keys()]) release(id);
    },
  };
}
