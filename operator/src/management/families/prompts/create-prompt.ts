/** New prompts, as they are written and as copies. */

import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { givenFields } from '../fields.ts';
import { newSlug } from '../slugs.ts';
import { collectionRefOf } from './find-collection.ts';
import { KIND, versionObjects, WHAT } from './prompt-versions.ts';
import { writtenPrompt } from './template.ts';
import { refuseLeftovers } from './versions.ts';

export interface NewPrompt {
  readonly name: string;
  readonly slug: string | undefined;
  /** Slug or UUID; undefined and null: the default one. */
  readonly collection: string | null | undefined;
  /** Of its first version. */
  readonly description: string | null | undefined;
  readonly template: object;
}

/** With its first version, which is published. Throws the RestError of a problem. */
export async function createPrompt(
  home: Home,
  { name, slug: given, collection, description, template }: NewPrompt,
  { call, services }: { readonly call: RestCall; readonly services: Services },
) {
  const slug = given ?? newSlug({ prefix: 'pp-', name, length: 10 }, services.randomName);
  const collectionRef = await collectionRefOf(home, collection, call, services);
  const place = { kind: KIND, namespace: home.namespace, name: slug } as const;
  if ((await services.store.get(place)) === undefined) {
    const left = await versionObjects(slug, home.namespace, services);
    refuseLeftovers(
      left.map(({ meta }) => meta.name),
      WHAT,
    );
  }
  const spec = givenFields({ displayName: name, description, collectionRef, template });
  const { meta } = writtenPrompt(await services.store.create(place, { spec }, { force: call.force }), WHAT);
  return { id: meta.uid, slug: meta.name, version_id: meta.uid, object: 'prompt' as const };
}
