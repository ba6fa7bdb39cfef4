/** Scripts that complete commands, options and their values in a shell; made of the table of commands. */
import type { Command, Operands, Option } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** `commands` are all commands, this one included. */
export function createCompletion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'prints a script that completes commands and options in a shell',
    operands: { value: SHELLS.join('|'), choices: SHELLS },
    options: {},
    notes: [
      'For every new shell: bash  gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse',
      '                     zsh   gatehouse completion zsh > a folder of $fpath/_gatehouse',
      '                     fish  gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish',
    ],
    examples: [
      { purpose: 'in this bash', line: 'source <(gatehouse completion bash)' },
      { purpose: 'in zsh, for every new one', line: 'gatehouse completion zsh > _gatehouse' },
      { purpose: 'in fish, for every new one', line: 'gatehouse completion fish > gatehouse.fish' },
    ],
    async run({ shell, operands }) {
      for (const name of SHELLS.filter((known) => operands.includes(known))) shell.out(SCRIPTS[name](commands()));
      return 0;
    },
  };
}

const SCRIPTS: Readonly<Record<ShellName, (commands: readonly Command[]) => string>> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
};

const optionsOf = ({ options }: Command): readonly (readonly [name: string, option: Option])[] => [
  ...Object.entries(options),
  ['help', { summary: 'shows this' }],
];

const namesOf = (commands: readonly Command[]): string => commands.map(({ name }) => name).join(' ');

/** Names of objects come from a server, and compgen expands words: only what a name can have is passed on. */
const BASH_NAMES: readonly string[] = [
  '_gatehouse_names() {',
  '  local at=3 name',
  '  local -a more=()',
  '  while [ "$at" -lt "$COMP_CWORD" ]; do',
  `    case \${COMP_WORDS[at]} in -w|--workspace|--url|--key-file) more+=("\${COMP_WORDS[at]}" "\${COMP_WORDS[at+1]}") ;; esac`,
  '    at=$((at+1))',
  '  done',
  '  while IFS= read -r name; do [[ $name =~ ^[a-z0-9.-]+$ ]] && echo "$name"; done < <(',
  `    "\${COMP_WORDS[0]}" get "\${COMP_WORDS[2]}" -o name "\${more[@]}" 2> /dev/null)`,
  '}',
];

function toBash(commands: readonly Command[]): string {
  return [
    // In the bash of macOS, which has neither mapfile nor compopt, a space in a name is completed without its backslash.
    '_gatehouse_folders() {',
    '  local folder',
    '  while IFS= read -r folder; do COMPREPLY+=("$folder"); done < <(compgen -d -- "$1")',
    '  compopt -o filenames 2> /dev/null',
    '}',
    ...BASH_NAMES,
    '_gatehouse() {',
    `  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=`,
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words='${namesOf(commands)} help --help --version'`,
    '  else',
    `    case \${COMP_WORDS[1]} in`,
    `      help) words='${namesOf(commands)}' ;;`,
    ...commands.flatMap(bashCommand),
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _gatehouse gatehouse',
  ].join('\n');
}

function bashCommand(command: Command): string[] {
  const { name, operands } = command;
  const values = optionsOf(command).flatMap(([option, { value, short, choices, completes }]) => {
    if (value === undefined) return [];
    const folders = '_gatehouse_folders "$word"; return';
    const files = `COMPREPLY=(); compopt -o default 2> /dev/null; return`;
    const otherwise = choices === undefined ? 'return' : `words='${choices.join(' ')}'`;
    const action = completes === 'folders' ? folders : completes === 'files' ? files : otherwise;
    const letter = short === undefined ? '' : `|-${short}`;
    return [`          --${option}${letter}) ${action} ;;`];
  });
  const words = [...optionsOf(command).map(([option]) => `--${option}`), ...(operands?.choices ?? [])].join(' ');
  // Where a file may stand, options are offered after a dash only: the shell completes files itself.
  const files = operands !== undefined && operands.choices === undefined && operands.kinds === undefined;
  const dash = files ? `[[ $word == -* ]] && words='${words}'` : `words='${words}'`;
  const first = operands?.actions === undefined ? [] : [bashActions(operands.actions)];
  const objects = operands?.kinds === undefined ? [] : [bashKinds(operands.kinds, operands.named === true)];
  const others = [...first, dash, ...objects].join('; ');
  return [`      ${name})`, '        case $before in', ...values, `          *) ${others} ;;`, '        esac ;;'];
}

const bashKinds = (kinds: readonly string[], isNamed: boolean): string =>
  isNamed
    ? `if [[ $word != -* ]]; then if [ "$COMP_CWORD" -eq 2 ]; then words='${kinds.join(' ')}'; else words=$(_gatehouse_names); fi; fi`
    : `[[ $word != -* ]] && words='${kinds.join(' ')}'`;

const bashActions = (actions: readonly string[]): string => `[ "$COMP_CWORD" -eq 2 ] && words='${actions.join(' ')}'`;

/** Text between single quotes, without the characters that `_arguments` and `_describe` read themselves. */
const zshText = (text: string): string => text.replace(/'/g, "'\\''").replace(/[[\]:]/g, '\\$&');

function toZsh(commands: readonly Command[]): string {
  return [
    '#compdef gatehouse',
    '_gatehouse_names() {',
    '  local -a names',
    `  names=(\${(f)"$(gatehouse get $words[2] -o name 2> /dev/null)"})`,
    '  compadd -a names',
    '}',
    '_gatehouse() {',
    '  if (( CURRENT == 2 )); then',
    '    local -a commands=(',
    ...commands.map(({ name, summary }) => `      '${name}:${zshText(summary)}'`),
    "      'help:shows the options of a command'",
    '    )',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words; (( CURRENT-- ))',
    '  case $command in',
    ...commands.flatMap(zshCommand),
    `    help) _values 'command' ${namesOf(commands)} ;;`,
    '  esac',
    '}',
    '# As a file of $fpath it is the function itself, else it is sourced.',
    'if [ "$funcstack[1]" = _gatehouse ]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi',
  ].join('\n');
}

function zshCommand(command: Command): string[] {
  const { name, operands } = command;
  const options = optionsOf(command).map(([option, { summary, value, choices, completes }]) => {
    const listed = choices === undefined ? ' ' : `(${choices.join(' ')})`;
    const action = completes === 'folders' ? '_files -/' : completes === 'files' ? '_files' : listed;
    return `'--${option}[${zshText(summary)}]${value === undefined ? '' : `:${zshText(value)}:${action}`}'`;
  });
  const rest = operands === undefined ? [] : [`'*:${zshText(operands.value)}:${zshValues(operands)}'`];
  const words = operands?.actions ?? (operands?.named === true ? operands.kinds : undefined);
  const first = words === undefined ? [] : [`'1:what:(${words.join(' ')})'`];
  return [`    ${name}) _arguments ${[...options, ...first, ...rest].join(' ')} ;;`];
}

const zshValues = ({ choices, kinds, named }: Operands): string => {
  const words = choices ?? (named === true ? undefined : kinds);
  if (words !== undefined) return `(${words.join(' ')})`;
  return named === true ? '_gatehouse_names' : '_files';
};

const fishText = (text: string): string => text.replace(/[\\']/g, '\\$&');

function toFish(commands: readonly Command[]): string {
  return [
    'complete -c gatehouse -f',
    ...commands.map(
      ({ name, summary }) => `complete -c gatehouse -n __fish_use_subcommand -a ${name} -d '${fishText(summary)}'`,
    ),
    `complete -c gatehouse -n __fish_use_subcommand -a help -d 'shows the options of a command'`,
    `complete -c gatehouse -n '__fish_seen_subcommand_from help' -a '${namesOf(commands)}'`,
    ...commands.flatMap(fishCommand),
  ].join('\n');
}

function fishCommand(command: Command): string[] {
  const { name, operands } = command;
  const start = `complete -c gatehouse -n '__fish_seen_subcommand_from ${name}'`;
  const options = optionsOf(command).map(([option, { summary, short, value, choices, completes }]) => {
    const listed = choices === undefined ? 'x' : `xa '${choices.join(' ')}'`;
    const completed =
      completes === 'folders' ? "xa '(__fish_complete_directories)'" : completes === 'files' ? 'rF' : listed;
    const kind = value === undefined ? '' : ` -${completed}`;
    return `${start} -l ${option}${short === undefined ? '' : ` -s ${short}`}${kind} -d '${fishText(summary)}'`;
  });
  if (operands === undefined) return options;
  if (operands.kinds !== undefined) return [...options, ...fishKinds(start, operands)];
  const values = operands.choices === undefined ? '-F' : `-a '${operands.choices.join(' ')}'`;
  const { actions = [] } = operands;
  const first = `'__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${actions.join(' ')}'`;
  const choice = actions.length === 0 ? [] : [`complete -c gatehouse -n ${first} -a '${actions.join(' ')}'`];
  return [...options, ...choice, `${start} ${values}`];
}

/** The words before the cursor are the program, the command and the Kind. */
const fishKinds = (start: string, { kinds = [], named }: Operands): readonly string[] =>
  named === true
    ? [
        `${start.slice(0, -1)}; and test (count (commandline -opc)) -eq 2' -a '${kinds.join(' ')}'`,
        `${start.slice(0, -1)}; and test (count (commandline -opc)) -gt 2' -a '(gatehouse get (commandline -opc)[3] -o name 2> /dev/null)'`,
      ]
    : [`${start} -a '${kinds.join(' ')}'`];
