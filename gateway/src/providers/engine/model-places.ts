/** Where a proxied call names its model, as the provider declares. */
import type { ModelPlace } from '../contract.ts';
import { compilePattern, matchPattern, type ProxiedCall, segmentsOf } from './path-pattern.ts';

/** Where a call names its model, and which where the path says it. `rows`: each row of its body does, and a check of the provider looks at all of it. */
export type ModelAt = { readonly kind: 'body' | 'none' | 'rows' } | { readonly kind: 'path'; readonly model: string };

/** Undefined: not declared for the call. */
export type ModelPlaces = (call: ProxiedCall) => ModelAt | undefined;

const NO_PLACE = (): undefined => undefined;

/** The first row that matches decides. */
export function compileModelPlaces(places: readonly ModelPlace[]): ModelPlaces {
  const rows = places.flatMap((place) => place.calls.map((call) => ({ place, pattern: compilePattern(call) })));
  return ({ method, path }) => {
    // Reads run no model.
    if (method === 'GET') return { kind: 'none' };
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    for (const { place, pattern } of rows) {
      const parts = matchPattern(pattern, { method, segments }, NO_PLACE);
      if (parts === undefined) continue;
      if (place.model !== 'path') return { kind: place.model };
      return { kind: 'path', model: place.name?.(parts) ?? parts.join('/') };
    }
    return undefined;
  };
}
