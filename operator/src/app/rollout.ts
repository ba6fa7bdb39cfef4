/** What only the leader does with translations: publish them, and tell everybody what came of it. */

import type { FleetCounts, FleetPlace, FleetPorts } from '../publish/fleets/index.ts';
import { createFleets } from '../publish/fleets/index.ts';
import { type Clock, type Log, systemClock } from '../runtime/index.ts';
import { createStatusDesk, type StatusPorts } from '../status/index.ts';
import type { Translated, Translations } from '../world/index.ts';

export interface ProgramOptions {
  readonly translations: Pick<Translations, 'latest' | 'subscribe'>;
  readonly fleets: FleetPorts;
  readonly statuses: StatusPorts;
  /** The fleets of a world, and whom they serve. */
  readonly placesIn: (translated: Pick<Translated, 'world' | 'translation'>) => readonly FleetPlace[];
  /** The counts of a fleet have changed. */
  readonly onFleetChange: (key: string) => void;
  readonly onPropagated: (seconds: number) => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Program {
  /** Publishes and writes statuses until the signal ends, which it must do with the lease. */
  run(signal: AbortSignal): Promise<void>;
  /** How far a fleet is; undefined while it is not published to. */
  countsOf(fleetKey: string): FleetCounts | undefined;
  /** An object has changed: its status may have to be written again. By `Kind/namespace/name`. */
  mark(verdictKey: string): void;
  /** Pods of fleets have changed. */
  updatePods(): void;
}

interface Term {
  readonly fleets: ReturnType<typeof createFleets>;
  readonly desk: ReturnType<typeof createStatusDesk>;
}

export function createProgram(options: ProgramOptions): Program {
  const { translations, log, clock = systemClock } = options;
  let term: Term | undefined;
  return {
    countsOf: (key) => term?.fleets.countsOf(key),
    mark: (key) => term?.desk.mark(key),
    updatePods: () => term?.fleets.updatePods(),
    run: async (signal) => {
      const fleets = createFleets(
        {
          ports: options.fleets,
          onPropagated: options.onPropagated,
          onChange: options.onFleetChange,
          onProgress: () => desk.recount(),
          onLeftOut: (origins) => desk.reconsider(origins),
          onRearranged: () => desk.markAll(),
          log,
          clock,
        },
        signal,
      );
      const desk = createStatusDesk({ ports: options.statuses, fleets, log, clock });
      const take = (translated: NonNullable<Translations['latest']>): void => {
        fleets.publish(options.placesIn(translated), translated);
        desk.take(translated);
      };
      term = { fleets, desk };
      using _subscription = translations.subscribe(take);
      if (translations.latest !== undefined) take(translations.latest);
      await desk.run(signal);
      await fleets.close();
      term = undefined;
    },
  };
}
