import { versionName } from '@gatehouse/crds/prompts';
import { defineRule, missing, objectKey, verdictKey } from '../types/index.ts';
import { collectionFindings } from './shared/index.ts';

export const promptPartial = defineRule({
  kind: 'PromptPartial',
  translate({ metadata: { name }, spec }, scope, view) {
    const { namespace, workspace } = scope;
    const { publishedVersion, text } = spec;
    const body = { slug: name, published: publishedVersion, ...(text === undefined ? {} : { text }) };
    const object = versionName(name, publishedVersion);
    const isThere =
      (publishedVersion === 1 && text !== undefined) || view.exists('PromptPartialVersion', namespace, object);
    const keys = [verdictKey('PromptPartialVersion', objectKey(namespace, object))];
    const message = `the partial has no version ${publishedVersion}: there is no PromptPartialVersion ${object}`;
    return {
      entries: [{ kind: 'partial', workspace, name, body }],
      findings: [
        ...(isThere ? [] : [missing(['spec', 'publishedVersion'], message, 'keep', keys)]),
        ...collectionFindings(spec, scope, view),
      ],
    };
  },
});
