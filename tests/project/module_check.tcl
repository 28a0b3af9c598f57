# Loads a module file with the module commands replaced, and compares what it would set.
# usage: tclsh module_check.tcl MODULEFILE PREFIX BINDIR
lassign $argv file prefix bindir
proc module-whatis {text} {}
proc conflict {name} {}
proc setenv {name value} { set ::set_to($name) $value }
proc prepend-path {name value} { set ::set_to($name) $value }
set env(MANPATH) /usr/share/man
set ModulesCurrentModulefile $file
source $file
foreach {name value} [list MPROF_ROOT $prefix PATH $prefix/$bindir] {
    if {$set_to($name) ne $value} {
        puts "$name is $set_to($name), not $value"
        exit 1
    }
}
foreach name [array names set_to] {
    if {![file isdirectory $set_to($name)]} {
        puts "$name is $set_to($name), which is no folder"
        exit 1
    }
}
puts "prefix $set_to(MPROF_ROOT)"
