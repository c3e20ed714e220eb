/** The completion scripts. They contain no names: each keystroke runs the hidden command, and its output is data. */
import { hiddenCompleteCommand } from './hidden-command.ts';

export interface ShellScript {
  /** The script for the commands with these names. */
  readonly text: (names: string) => string;
  /** Commands that install it: for the current session and permanently. */
  readonly forSession: string;
  readonly permanently: string;
  readonly forAlias: string;
}

/** The first line of the output is the kind: `files`, `open` (no space follows) or `values`. */
const bash = (names: string) => `# Completion of iam for bash 4 and newer.
_iam() {
  local kind='' line program=$1 typed=\${COMP_LINE:0:COMP_POINT}
  local -a texts
  local -i at width=0
  # An alias is replaced by its text, as bash does when it runs the line. Other names run iam.
  if [[ -n \${BASH_ALIASES[$1]-} ]]; then
    typed=\${BASH_ALIASES[$1]}\${typed#*"$1"}
    program=\${BASH_ALIASES[$1]%%[[:space:]]*}
  fi
  type -P -- "$program" >/dev/null || program=iam
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; continue; fi
    COMPREPLY+=("\${line%%$'\\t'*}")
    at=\${#COMPREPLY[@]}-1
    [[ $line == *$'\\t'* ]] && texts[at]=\${line#*$'\\t'}
    (( \${#COMPREPLY[at]} > width )) && width=\${#COMPREPLY[at]}
  done < <("$program" ${hiddenCompleteCommand} bash "$COMP_WORDBREAKS" "$typed" 2>/dev/null </dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
  # Bash lists several candidates, with their texts, and inserts what they have in common. It inserts a single one as it
  # is, and each in turn for menu-complete (% and *).
  [[ \${COMP_TYPE-} =~ ^(9|33|63|64)$ ]] && (( \${#COMPREPLY[@]} > 1 )) || return 0
  for at in "\${!texts[@]}"; do
    printf -v line '%-*s  (%s)' "$width" "\${COMPREPLY[at]}" "\${texts[at]}"
    (( \${#line} < \${COLUMNS:-80} )) || line=\${line:0:\${COLUMNS:-80}-3}..
    (( \${#line} > width )) && COMPREPLY[at]=$line
  done
}
complete -F _iam ${names}
`;

const zsh = (names: string) => `#compdef ${names}
# Completion of iam for zsh.
_iam() {
  local -a lines values shown
  local line kind text program=\${(Q)words[1]}
  local -i width=0
  # Any other name, such as an alias, runs iam.
  whence -p -- "$program" >/dev/null || program=iam
  lines=("\${(@f)$("$program" ${hiddenCompleteCommand} -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  kind=$lines[1]
  if [[ $kind == files ]]; then
    compset -P '--[^=]#=' || compset -P '--*='
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    text=\${line%%$'\\t'*}
    values+=("$text")
    (( \${#text} > width )) && width=\${#text}
  done
  (( \${#values} )) || return 1
  for line in "\${(@)lines[2,-1]}"; do
    text=\${line%%$'\\t'*}
    [[ $line == *$'\\t'* ]] && text="\${(r:width:)text}  -- \${line#*$'\\t'}"
    shown+=("$text")
  done
  local -a how
  [[ \${(j::)lines} == *$'\\t'* ]] && how=(-l)
  [[ $kind == open ]] && how+=(-S '')
  compadd -V iam "\${how[@]}" -d shown -a -- values
}
if [[ \${funcstack[1]} == _iam ]]; then
  _iam "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _iam ${names}
fi
`;

const fish = (names: string) => `# Completion of iam for fish.
function __iam_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l typed (commandline -ct)
    set -l plain (string unescape -- $typed)
    or set plain (string trim -l -c '"\\'' -- $typed)
    set -l lines ($program ${hiddenCompleteCommand} -- $words "$plain" 2>/dev/null </dev/null)
    if test "$lines[1]" = files
        set -l head (string match -r -- '^--[^=]*=' "$typed")
        for file in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed"))
            echo -- "$head"$file
        end
    else if set -q lines[2]
        printf '%s\\n' $lines[2..-1]
    end
end
for name in ${names}
    complete -c $name -f -k -a '(__iam_complete)'
end
`;

/** Scripts by shell name. */
export const shellScripts: Readonly<Record<string, ShellScript>> = {
  bash: {
    text: bash,
    forSession: 'source <(iam completion bash)',
    permanently: "echo 'source <(iam completion bash)' >> ~/.bashrc",
    forAlias: 'alias i=iam; source <(iam completion bash --command-name i)',
  },
  zsh: {
    text: zsh,
    forSession: 'source <(iam completion zsh)',
    permanently: "echo 'source <(iam completion zsh)' >> ~/.zshrc",
    forAlias: 'alias i=iam; source <(iam completion zsh --command-name i)',
  },
  fish: {
    text: fish,
    forSession: 'iam completion fish | source',
    permanently: 'iam completion fish > ~/.config/fish/completions/iam.fish',
    forAlias: 'alias i=iam; iam completion fish --command-name i | source',
  },
};
