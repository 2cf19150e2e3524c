# Prints what a value says for the current text, with something in front of each.
function __storectl_complete_value --argument-names value current before
    switch "$value"
        case ''
            return
        case @file
            for item in (__fish_complete_path "$current")
                printf '%s%s\n' "$before" "$item"
            end
        case '@*'
            for item in ($__storectl_program __complete (string sub -s 2 -- $value) $__storectl_typed 2>/dev/null </dev/null)
                printf '%s%s\n' "$before" "$item"
            end
        case ',*'
            set -l chosen (string match -r '^.*,' -- "$current")
            for word in (string split ' ' -- (string sub -s 2 -- $value))
                if not string match -q -- "*,$word,*" ",$chosen"
                    printf '%s%s%s\n' "$before" "$chosen" "$word"
                end
            end
        case '*'
            for word in (string split ' ' -- $value)
                printf '%s%s\n' "$before" "$word"
            end
    end
end

function __storectl_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l where ''
    set -l position 0
    set -l pending ''
    set -l ended ''
    set -g __storectl_program (string replace -r '^~/' "$HOME/" -- $tokens[1])
    set -g __storectl_typed $tokens[2..-1]
    # What is completed as storectl may have another name.
    type -q $__storectl_program; or set -g __storectl_program storectl

    for word in $__storectl_typed
        if test -n "$pending"
            set pending ''
        else if test -z "$ended" -a "$word" = --
            set ended 1
        else if test -z "$ended"; and string match -q -- '--*=*' $word
            continue
        else if test -z "$ended"; and string match -q -- '-?*' $word
            if test (__storectl_value "$where" $word) != -
                set pending $word
            end
        else
            set -l names (__storectl_commands "$where" | string replace -r '\t.*' '')
            if contains -- $word $names
                set where (string trim -- "$where $word")
            else if test -n "$where" -o "$word" != help
                set position (math $position + 1)
            end
        end
    end

    if test -n "$pending"
        __storectl_complete_value (__storectl_value "$where" $pending) "$current" ''
    else if test -z "$ended"; and string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- "$current")
        set -l value (__storectl_value "$where" $parts[1])
        test "$value" = -; or __storectl_complete_value "$value" "$parts[2]" "$parts[1]="
    else if test -z "$ended"; and string match -q -- '-*' "$current"
        __storectl_flags "$where"
    else
        set -l commands (__storectl_commands "$where")
        if set -q commands[1]
            test $position -gt 0; or printf '%s\n' $commands
        else
            set -l value (__storectl_argument "$where" $position)
            if test "$value" != -
                __storectl_complete_value "$value" "$current" ''
            else if test -z "$ended" -a -z "$current"
                __storectl_flags "$where"
            end
        end
    end
end

complete -c storectl -e
# -k: the newest comes first, and stays there.
complete -c storectl -f -k -a '(__storectl_complete)'
