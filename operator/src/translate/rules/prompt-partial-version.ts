import { conflicted, defineRule, missing, objectKey, verdictKey } from '../types/index.ts';

export const promptPartialVersion = defineRule({
  kind: 'PromptPartialVersion',
  translate({ metadata, spec }, { namespace, workspace }, view) {
    const { version, text } = spec;
    const { name: partial } = spec.partialRef;
    if (!view.exists('PromptPartial', namespace, partial)) {
      const keys = [verdictKey('PromptPartial', objectKey(namespace, partial))];
      const message = `the PromptPartial ${partial} does not exist`;
      return { entries: [], findings: [missing(['spec', 'partialRef', 'name'], message, 'withdraw', keys)] };
    }
    if (version === 1 && view.find('PromptPartial', namespace, partial)?.spec.text !== undefined) {
      const message = `the PromptPartial ${partial} has its version 1 itself, in spec.text`;
      return { entries: [], findings: [conflicted(['spec', 'version'], message)] };
    }
    const body = { partial, version, text };
    return { entries: [{ kind: 'partialVersion', workspace, name: metadata.name, body }], findings: [] };
  },
});
