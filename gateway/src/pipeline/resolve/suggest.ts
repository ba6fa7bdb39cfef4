/** Suggestions in errors about unknown names. */
import { nearestName } from '@gatehouse/crds';

/** Most names that are listed when none is near. */
const MAX_LISTED = 8;

/** The end of a sentence about an unknown name: the nearest known one, else the first few that there are. */
export function nameSuggestion(name: string, known: readonly string[], show = (text: string): string => text): string {
  const near = nearestName(name, known);
  if (near !== undefined) return `; did you mean ${show(near)}?`;
  if (known.length === 0) return '; there is none yet';
  const listed = known.toSorted().slice(0, MAX_LISTED).map(show).join(', ');
  const more = known.length - MAX_LISTED;
  return `; there is ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}
