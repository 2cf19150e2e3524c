# Completion of storectl for fish. Load it with: storectl completion fish | source

function __storectl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    # What is completed as storectl may have another name.
    type -q $program; or set program storectl
    type -q $program; or return
    for line in ($program __complete fish "--current=$current" $words[2..-1] 2>/dev/null </dev/null)
        if test "$line" = :files
            set -l flag (string match -r '^--[^=]*=' -- "$current")
            for file in (__fish_complete_path (string sub -s (math 1 + (string length -- "$flag")) -- "$current"))
                printf '%s%s\n' "$flag" $file
            end
        else if test "$line" != :more
            printf '%s\n' $line
        end
    end
end

complete -c storectl -e
# -k: in this order, the newest first.
complete -c storectl -f -k -a '(__storectl_complete)'
