/** For tests that feed writers with any body; programs do not import it. */
import { UnsupportedPart } from './parts.ts';

/** The result; undefined where a part was refused. Any other error is thrown. */
export function unlessRefused<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof UnsupportedPart) return undefined;
    throw error;
  }
}
