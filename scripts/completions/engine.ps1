Register-ArgumentCompleter -Native -CommandName storectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $tables = $global:StorectlTables
    $current = [string]$wordToComplete

    $valueOf = {
        param([string]$where, [string]$name)
        foreach ($key in @("$where $name", "* $name", "$where *")) {
            if ($key -eq "$where *" -and $name -notmatch '^\d+$') { continue }
            if ($tables.Completions.ContainsKey($key)) { return $tables.Completions[$key] }
        }
        return '-'
    }
    $result = {
        param([string]$text, [string]$shown, [string]$description)
        if ($description -eq '') { $description = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $description)
    }
    $offerPairs = {
        param($pairs)
        for ($index = 0; $index -lt $pairs.Count; $index += 2) {
            if ($pairs[$index].StartsWith($current, [System.StringComparison]::Ordinal)) {
                & $result $pairs[$index] $pairs[$index] $pairs[$index + 1]
            }
        }
    }
    $offerFlags = {
        param([string]$where)
        if ($tables.Flags.ContainsKey($where)) { & $offerPairs $tables.Flags[$where] }
        & $offerPairs $tables.Flags['*']
    }

    # What stands before the word at the cursor, without quotes.
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($current -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { $_.Extent.Text.Trim("'", '"') })

    $offerValue = {
        param([string]$value, [string]$text, [string]$before)
        if ($value -eq '' -or $value -eq '-') { return }
        if ($value -eq '@file') {
            foreach ($file in Get-ChildItem -Path "$text*" -ErrorAction SilentlyContinue) {
                $name = (Split-Path -Path $text -Parent -ErrorAction SilentlyContinue)
                $shown = if ($name) { Join-Path $name $file.Name } else { $file.Name }
                $quoted = if ($shown -match '\s') { "'$shown'" } else { $shown }
                & $result "$before$quoted" $file.Name $shown
            }
            return
        }
        if ($value.StartsWith('@')) {
            $program = $commandAst.GetCommandName()
            foreach ($line in @(& $program __complete $value.Substring(1) @typed 2>$null)) {
                $id, $description = $line -split "`t", 2
                if ($id.StartsWith($text, [System.StringComparison]::Ordinal)) {
                    & $result "$before$id" $id $description
                }
            }
            return
        }
        $chosen = ''
        if ($value.StartsWith(',')) {
            $value = $value.Substring(1)
            $comma = $text.LastIndexOf(',')
            if ($comma -ge 0) {
                $chosen = $text.Substring(0, $comma + 1)
                $text = $text.Substring($comma + 1)
            }
        }
        foreach ($word in $value -split ' ') {
            if ($chosen.TrimEnd(',') -split ',' -ccontains $word) { continue }
            if ($word.StartsWith($text, [System.StringComparison]::Ordinal)) { & $result "$before$chosen$word" $word '' }
        }
    }

    $where = ''
    $position = 0
    $pending = ''
    $ended = $false
    foreach ($word in $typed) {
        if ($pending -ne '') { $pending = '' }
        elseif (-not $ended -and $word -eq '--') { $ended = $true }
        elseif (-not $ended -and $word -like '--*=*') { continue }
        elseif (-not $ended -and $word -like '-?*') {
            if ((& $valueOf $where $word) -ne '-') { $pending = $word }
        }
        elseif ($tables.Commands.ContainsKey($where) -and $tables.Commands[$where] -ccontains $word) {
            $where = "$where $word".Trim()
        }
        elseif ($where -ne '' -or $word -ne 'help') { $position += 1 }
    }

    if ($pending -ne '') { & $offerValue (& $valueOf $where $pending) $current '' }
    elseif (-not $ended -and $current -like '--*=*') {
        $flag, $text = $current -split '=', 2
        & $offerValue (& $valueOf $where $flag) $text "$flag="
    }
    elseif (-not $ended -and $current -like '-*') { & $offerFlags $where }
    elseif ($tables.Commands.ContainsKey($where)) {
        if ($position -eq 0) { & $offerPairs $tables.Commands[$where] }
    }
    else {
        $value = & $valueOf $where "$position"
        if ($value -ne '-') { & $offerValue $value $current '' }
        elseif (-not $ended -and $current -eq '') { & $offerFlags $where }
    }
}
