import type { Logger } from '@gatehouse/gateway';
import { type FileProblem, type FolderState, formatProblem } from '../resource-folder/index.ts';

/** Problems shown in the status; the first ones are the most useful. */
const MAX_SHOWN = 200;

export interface ProblemReport {
  /** Logs problems that are new since the last state, and when all are fixed. */
  note(state: FolderState): void;
  /** The status of the folder in `/internal/status`. */
  status(): object;
}

/** `logsFirst`: whether the problems of the first state are logged, too; otherwise they are shown elsewhere. */
export function createProblemReport(folder: string, logger: Logger, logsFirst: boolean): ProblemReport {
  let known: ReadonlySet<string> = new Set();
  let last: FolderState | undefined;
  return {
    note: (state) => {
      const fresh = state.problems.filter((problem) => !known.has(formatProblem(problem)));
      const isShown = last !== undefined || logsFirst;
      for (const problem of isShown ? fresh.slice(0, MAX_SHOWN) : []) warn(logger, problem);
      if (state.problems.length === 0 && known.size > 0) logger.info({ folder }, 'Resources are valid again');
      for (const kind of state.ignored) if (!last?.ignored.includes(kind)) logger.debug({ kind }, 'Kind was ignored');
      known = new Set(state.problems.map(formatProblem));
      last = state;
    },
    status: () => ({
      folder,
      files: last?.files ?? 0,
      objects: last?.objects ?? 0,
      problemCount: last?.problems.length ?? 0,
      problems: (last?.problems ?? []).slice(0, MAX_SHOWN),
    }),
  };
}

function warn(logger: Logger, { message, consequences, ...position }: FileProblem): void {
  logger.warn({ ...position, problem: message, consequences: consequences?.length }, 'Resource was refused');
}
