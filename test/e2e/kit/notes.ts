/** The commands that Helm prints after an installation, each on one line. */
export const commandsOf = (notes: string): readonly string[] =>
  notes
    .replaceAll(/ \\\n +/g, ' ')
    .split('\n')
    .flatMap((line) => (/^ {3}(kubectl|curl) /.test(line) ? [line.trim()] : []));
