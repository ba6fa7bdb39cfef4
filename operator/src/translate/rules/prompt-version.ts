import { conflicted, defineRule, missing, objectKey, verdictKey } from '../types/index.ts';
import { templateBody, templateFindings } from './shared/index.ts';

export const promptVersion = defineRule({
  kind: 'PromptVersion',
  translate({ metadata, spec }, scope, view) {
    const { namespace, workspace } = scope;
    const { version, template } = spec;
    const { name: prompt } = spec.promptRef;
    if (!view.exists('Prompt', namespace, prompt)) {
      const keys = [verdictKey('Prompt', objectKey(namespace, prompt))];
      const message = `the Prompt ${prompt} does not exist`;
      return { entries: [], findings: [missing(['spec', 'promptRef', 'name'], message, 'withdraw', keys)] };
    }
    if (version === 1 && view.find('Prompt', namespace, prompt)?.spec.template !== undefined) {
      const message = `the Prompt ${prompt} has its version 1 itself, in spec.template`;
      return { entries: [], findings: [conflicted(['spec', 'version'], message)] };
    }
    const body = { prompt, version, template: templateBody(template) };
    return {
      entries: [{ kind: 'promptVersion', workspace, name: metadata.name, body }],
      findings: templateFindings(template, ['spec', 'template'], scope, view),
    };
  },
});
