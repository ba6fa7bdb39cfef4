/** The workspace that calls are about which may name a collection instead. */
import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { homeOf } from '../homes.ts';
import { findCollection } from './find-collection.ts';

interface Named {
  readonly workspace_id?: string | null | undefined;
  readonly organisation_id?: string | null | undefined;
  readonly collection_id?: string | null | undefined;
}

/** Of a call of a key of the organisation that names neither: where the collection is. Throws RestError as homeOf does. */
export async function homeNamed(caller: RestCall['caller'], named: Named, services: Services): Promise<Home> {
  const isNamed = typeof named.workspace_id === 'string' || typeof named.organisation_id === 'string';
  if (caller.workspace !== undefined || isNamed || typeof named.collection_id !== 'string') {
    return homeOf(caller, named, services.tenancy);
  }
  return (await findCollection(named.collection_id, { caller }, services)).home;
}
