/** Publishes translations to the fleets and writes the statuses that follow; on the leader only. */

import type { FleetCounts, FleetPorts, PublishTarget } from '../publish/fleets/index.ts';
import { createFleets } from '../publish/fleets/index.ts';
import { type Clock, type Log, systemClock } from '../runtime/index.ts';
import { createStatusQueue, type StatusPorts } from '../status/index.ts';
import type { Translated, Translations } from '../world/index.ts';

export interface PublishAndReportOptions {
  readonly translations: Pick<Translations, 'latest' | 'subscribe'>;
  readonly fleets: FleetPorts;
  readonly statuses: StatusPorts;
  /** The fleets of the world, and the workspaces that each serves. */
  readonly targetsIn: (translated: Pick<Translated, 'world' | 'translation'>) => readonly PublishTarget[];
  /** The counts of a fleet have changed. */
  readonly onFleetChange: (key: string) => void;
  readonly onPropagated: (seconds: number) => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface PublishAndReport {
  /** Publishes and writes statuses until the signal ends, which must be when the lease ends. */
  run(signal: AbortSignal): Promise<void>;
  /** What the pods of a fleet serve; undefined while nothing is published to it. */
  countsOf(fleetKey: string): FleetCounts | undefined;
  /** Marks an object whose status may have to be written again, as `Kind/namespace/name`. */
  mark(verdictKey: string): void;
  /** To be called when pods of fleets have changed. */
  updatePods(): void;
}

interface Term {
  readonly fleets: ReturnType<typeof createFleets>;
  readonly statuses: ReturnType<typeof createStatusQueue>;
}

export function createPublishAndReport(options: PublishAndReportOptions): PublishAndReport {
  const { translations, log, clock = systemClock } = options;
  let term: Term | undefined;
  return {
    countsOf: (key) => term?.fleets.countsOf(key),
    mark: (key) => term?.statuses.mark(key),
    updatePods: () => term?.fleets.updatePods(),
    run: async (signal) => {
      const fleets = createFleets(
        {
          ports: options.fleets,
          onPropagated: options.onPropagated,
          onChange: options.onFleetChange,
          onProgress: () => statuses.markPending(),
          onUnservedChange: (origins) => statuses.markOrigins(origins),
          onCountersChange: (serves) => statuses.markWorkspaces(serves),
          onPlacementChange: () => statuses.markAll(),
          log,
          clock,
        },
        signal,
      );
      const statuses = createStatusQueue({ ports: options.statuses, fleets, log, clock });
      const take = (translated: NonNullable<Translations['latest']>): void => {
        fleets.publish(options.targetsIn(translated), translated);
        statuses.update(translated);
      };
      term = { fleets, statuses };
      using _subscription = translations.subscribe(take);
      if (translations.latest !== undefined) take(translations.latest);
      await statuses.run(signal);
      await fleets.close();
      term = undefined;
    },
  };
}
