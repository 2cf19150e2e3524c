# Completion of storectl for PowerShell.
# Load it in your $PROFILE with: storectl completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName storectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $current = [string]$wordToComplete
    # The words before the cursor, without quotes.
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($current -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { $_.Extent.Text.Trim("'", '"') })
    $result = {
        param([string]$text, [string]$shown, [string]$description)
        # Its parts must not be empty.
        if (-not $description) { $description = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $description)
    }
    $program = $commandAst.GetCommandName()
    foreach ($line in @(& $program __complete powershell "--current=$current" @typed 2>$null)) {
        if ($line -eq ':more') { continue }
        if ($line -ne ':files') {
            $text, $description = $line -split "`t", 2
            & $result $text $text $description
            continue
        }
        $before = if ($current -match '^--[^=]*=') { $Matches[0] } else { '' }
        $path = $current.Substring($before.Length)
        $folder = if ($path) { Split-Path -Path $path -Parent }
        foreach ($file in Get-ChildItem -Path "$path*" -ErrorAction SilentlyContinue) {
            $name = if ($folder) { Join-Path $folder $file.Name } else { $file.Name }
            $quoted = if ($name -match '[^\w.\\/:~+-]') { "'" + $name.Replace("'", "''") + "'" } else { $name }
            & $result "$before$quoted" $file.Name $name
        }
    }
}
