/** Changes of a prompt: its name and its collection, or a new version. */
import { versionName } from '@gatehouse/crds/prompts';
import type { prompts } from '@gatehouse/crds/rest';
import { invalid } from '../../http/rest-error.ts';
import type { RestCall, Services } from '../family.ts';
import { givenFields } from '../fields.ts';
import { collectionRefOf } from './find-collection.ts';
import {
  KIND,
  type PromptObject,
  type PromptVersion,
  type Shown,
  VERSION,
  versionsOf,
  WHAT,
} from './prompt-versions.ts';
import { type Content, contentIn, showTemplate, toTemplate, writtenPrompt } from './template.ts';
import { addVersion } from './versions.ts';

type Call = RestCall<typeof prompts.update>;

/** A version comes after its prompt was tried and before the prompt is written: what is refused leaves no version. */
export async function updatePrompt({ object, home }: Shown, call: Call, services: Services) {
  const { store } = services;
  const { name: slug, namespace, uid: id } = object.meta;
  const { body, force } = call;
  const fields = givenFields({
    displayName: body.name,
    collectionRef: await collectionRefOf(home, body.collection_id, call, services),
  });
  const change = ({ spec }: PromptObject) => ({ spec: { ...spec, ...fields } });
  const write = async (dryRun: boolean): Promise<void> => {
    if (Object.keys(fields).length === 0) return;
    writtenPrompt(await store.update({ kind: KIND, namespace, name: slug }, change, { force, dryRun }), WHAT);
  };
  const given = contentIn(body);
  await write(given !== undefined);
  if (given === undefined) return {};
  const versions = await versionsOf(object, services);
  const template = toTemplate(wholeContent(given, versions[0], body.patch === true));
  const made = await addVersion(versions, (version) => {
    const spec = {
      promptRef: { name: slug },
      version,
      ...givenFields({ description: body.version_description, template }),
    };
    return store.create({ kind: VERSION, namespace, name: versionName(slug, version) }, { spec }, { force });
  });
  const { meta } = writtenPrompt(made, WHAT);
  await write(false);
  return { id, slug, prompt_version_id: meta.uid };
}

/** A version is never made of a part of its content by accident. */
const NEEDED = ['string', 'parameters', 'model', 'virtual_key'] as const;

/** What is left out comes from the newest version, or is refused with RestError INVALID. */
function wholeContent(given: Content, newest: PromptVersion | undefined, isPatch: boolean): Content {
  const base: Content = isPatch && newest !== undefined ? showTemplate(newest.content) : {};
  const whole = { ...base, ...given };
  const missing = NEEDED.filter((member) => whole[member] === undefined);
  if (missing.length === 0) return whole;
  const message = 'a new version needs it; with patch: true, it comes from the newest version';
  throw invalid(
    missing.map((member) => ({ code: 'invalid', path: [member], message })),
    'body',
  );
}
